// A live Plotly figure: the same node for its whole life, redrawn in place. Comes after colors.js, after_run.js and
// figure.js.

const UNDER_WORDS = 0.55; // of the window's height, at most, for an enlarged figure: a question stands above it

function build(parentElement) {
  const box = document.createElement("div");
  box.className = "pkl-plot";
  box.style.cssText = "width:100%;overflow-x:auto;overflow-y:hidden;border-radius:0.25rem";
  const node = document.createElement("div");
  node.setAttribute("role", "img");
  box.append(node);
  parentElement.append(box);
  // `data` and `send` are always the newest ones: handlers are bound once and read them here.
  box.state = {
    node,
    data: null,
    layout: {}, // as sent
    meta: {}, // of the layout
    by: 1, // the scale
    send: null,
    turn: 0,
    asked: null,
    width: 0,
    atEnd: true, // scrolled to the right, if it scrolls
    drawn: false,
    dead: false,
  };
  box.addEventListener("scroll", () => {
    box.state.atEnd = box.scrollLeft + box.clientWidth >= box.scrollWidth - 2;
  });
  box.state.observer = new ResizeObserver(() => onResize(box));
  box.state.observer.observe(box);
  return box;
}

/** The figure in the colours of the page's theme. */
function prepare(box) {
  const { data, by } = box.state;
  const { data: traces = [], layout = {} } = JSON.parse(data.figure, themed(box, data.dark_colors, data.contrast));
  const larger = { ...enlarged(layout, by), height: by * data.height };
  return { traces: enlarged(traces, by), layout: settle(box, larger) }; // its width: see place()
}

/** Set the size and the label before plotly.js is loaded, so that the page does not jump later. */
function place(box) {
  const { node, data, meta, layout } = box.state;
  const by = enlargement(layout, roomOf(box), data.largest, UNDER_WORDS);
  box.state.by = by;
  node.style.width = "100%";
  node.style.minWidth = data.min_width ? `${by * data.min_width}px` : "";
  node.style.maxWidth = meta.max_width ? `${by * meta.max_width}px` : "";
  node.style.margin = "0 auto";
  node.style.height = `${by * data.height}px`;
  node.setAttribute("aria-label", data.label);
  setFocusable(box);
  keepEnd(box);
}

/** Scroll a figure that grows to the right to its end, unless the reader has scrolled elsewhere. */
function keepEnd(box) {
  if (box.state.meta.scroll_end && box.state.atEnd) box.scrollLeft = box.scrollWidth;
}

/** The width as last observed. Measuring it while the page changes would force a layout. */
function roomOf(box) {
  return box.state.width || box.clientWidth;
}

/** A box that scrolls must be reachable with Tab; any other must not be a tab stop. */
function setFocusable(box) {
  const { data, by } = box.state;
  const width = roomOf(box);
  if (by * data.min_width > width && width > 0) {
    box.tabIndex = 0;
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", data.label);
  } else {
    for (const name of ["tabindex", "role", "aria-label"]) box.removeAttribute(name);
  }
}

async function draw(box) {
  const { state } = box;
  const turn = ++state.turn;
  let Plotly;
  try {
    Plotly = await loadPlotly(state.data.url);
  } catch {
    if (!state.drawn) state.node.textContent = state.data.label; // the text has the same facts
    return;
  }
  if (state.dead || turn !== state.turn) return;
  const { traces, layout } = prepare(box);
  if (!state.drawn) state.node.textContent = "";
  try {
    await redraw(Plotly, state.node, traces, layout);
  } catch (error) {
    if (!state.dead) throw error; // otherwise the figure was purged while it was being drawn
  }
  if (state.dead || state.drawn) return;
  state.drawn = true;
  state.node.on("plotly_click", ({ points, event }) => {
    const id = [points?.[0]?.customdata].flat()[0];
    if (id === undefined || id === null || event?.detail > 1 || !state.data.clickable) return;
    state.send("click", String(id));
  });
}

function onResize(box) {
  const { state } = box;
  const width = box.clientWidth;
  if (state.dead || width === 0) return; // in a closed expander or a hidden tab
  const changed = width !== state.width;
  state.width = width;
  const { by } = state;
  place(box);
  askForColumns(box); // again: Python may have drawn another number
  if (by !== state.by) draw(box);
  else if (changed && state.drawn) window.Plotly.Plots.resize(state.node).catch(() => {}); // hidden meanwhile: the next resize counts
}

/** Tell Python how many columns fit, once for each figure, so that a refusal cannot cause a loop. */
function askForColumns(box) {
  const { state } = box;
  const width = roomOf(box);
  if (!state.data.wants_columns || width === 0) return;
  const columns = columnsFor(width, state.meta.wide_from);
  if (columns === state.data.columns) state.asked = null;
  else if (state.asked !== columns) {
    state.asked = columns;
    afterRun(() => {
      if (!state.dead && state.asked === columns) state.send("columns", columns);
    });
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const box = parentElement.querySelector(":scope > .pkl-plot") ?? build(parentElement);
  const { state } = box;
  if (data !== state.data) {
    state.asked = null;
    state.layout = JSON.parse(data.figure).layout ?? {};
    state.meta = state.layout.meta ?? {};
  }
  state.data = data;
  state.send = setTriggerValue;
  place(box);
  draw(box);
  askForColumns(box); // again: Python may have drawn another number
  const mine = (state.calls = (state.calls ?? 0) + 1);
  return () => {
    // Streamlit also runs the clean-up of an older call when a newer one has come; the node is then still in use.
    if (mine !== state.calls) return;
    state.dead = true;
    state.observer.disconnect();
    if (window.Plotly) window.Plotly.purge(state.node);
    box.remove();
  };
}
