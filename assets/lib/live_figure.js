// Helpers put in front of a component's own module: a figure in a node that lives as long as its component, redrawn in
// place. Comes after colors.js, after_run.js and figure.js.

const DEFAULT_HEIGHT = 360;
const UNDER_WORDS = 0.55; // of the window's height, at most, for an enlarged figure: a question stands above it

/** Create the figure's box in `parent`. `on`: what to call with (name, value) for "click" and "columns". */
function buildFigure(parent, on) {
  const box = document.createElement("div");
  box.className = "pkl-plot";
  box.style.cssText = "width:100%;overflow-x:auto;overflow-y:hidden;border-radius:0.25rem";
  const node = document.createElement("div");
  node.setAttribute("role", "img");
  box.append(node);
  parent.append(box);
  box.state = {
    node,
    on,
    data: null, // the newest: handlers are bound once and read it here
    figure: null, // in the page's colours
    meta: {}, // of the layout
    by: 1, // the scale
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
  box.state.observer = new ResizeObserver(() => onFigureResize(box));
  box.state.observer.observe(box);
  return box;
}

/** The figure at its scale. */
function prepare(box) {
  const { figure, by } = box.state;
  const larger = { ...enlarged(figure.layout, by), height: by * heightOf(figure.layout) };
  // Its width: see placeFigure(). To ask for the page's font costs a pass over all styles after each change of the page.
  return { traces: enlarged(figure.traces, by), layout: figure.settled ? larger : settle(box, larger) };
}

const heightOf = (layout) => layout.height || DEFAULT_HEIGHT;

/** Set the size and the label before plotly.js is loaded, so that the page does not jump later. */
function placeFigure(box) {
  const { node, data, meta, figure } = box.state;
  // A player gives its pictures one scale.
  const by = data.scale?.(roomOf(box)) ?? enlargement(figure.layout, roomOf(box), data.largest, UNDER_WORDS);
  box.state.by = by;
  node.style.width = "100%";
  node.style.minWidth = meta.min_width ? `${by * meta.min_width}px` : "";
  node.style.maxWidth = meta.max_width ? `${by * meta.max_width}px` : "";
  node.style.margin = "0 auto";
  node.style.height = `${by * heightOf(figure.layout)}px`;
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
  const { data, meta, by } = box.state;
  const width = roomOf(box);
  if (by * meta.min_width > width && width > 0) {
    box.tabIndex = 0;
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", data.label);
  } else {
    for (const name of ["tabindex", "role", "aria-label"]) box.removeAttribute(name);
  }
}

async function drawFigure(box) {
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
    state.on("click", String(id));
  });
}

function onFigureResize(box) {
  const { state } = box;
  const width = box.clientWidth;
  if (state.dead || !state.figure || width === 0) return; // in a closed expander or a hidden tab
  const changed = width !== state.width;
  state.width = width;
  const { by } = state;
  placeFigure(box);
  askForColumns(box); // again: Python may have drawn another number
  if (by !== state.by) drawFigure(box);
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
      if (!state.dead && state.asked === columns) state.on("columns", columns);
    });
  }
}

/** Draw this figure ({ traces, layout } in the page's colours) in its box. */
function showFigure(box, figure, data) {
  Object.assign(box.state, { figure, meta: figure.layout.meta ?? {} });
  describeFigure(box, data);
  return drawFigure(box);
}

/** `data`: label, url, largest, columns, wants_columns, clickable; `version` differs where the columns may be asked again. */
function describeFigure(box, data) {
  const { state } = box;
  if (data.version !== state.data?.version) state.asked = null;
  state.data = data;
  placeFigure(box);
  askForColumns(box);
}

function dropFigure(box) {
  const { state } = box;
  state.dead = true;
  state.observer.disconnect();
  if (window.Plotly) window.Plotly.purge(state.node);
  box.remove();
}
