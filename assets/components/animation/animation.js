// Pictures of a run to play, step through or pick with a slider, always in the same node. With reduced motion and on
// paper there is a storyboard too. Comes after colors.js, after_run.js, element.js, figure.js and storyboard.js.

const LEAST_MS = 1400; // for a picture with a very short caption, at speed 1
const SPEEDS = [0.5, 1, 1.5, 2];
const SETTLE_MS = 500; // a series of quick steps is one report

function build(parentElement) {
  const root = element("div", "pkl-animation", parentElement, { role: "group" });
  const controls = element("div", "pkl-controls", root);
  const scenes = element("ol", "pkl-scenes", controls, { role: "list" });
  const speed = element("select", "pkl-speed", controls);
  for (const value of SPEEDS) speed.append(new Option(`${value}×`, value, value === 1, value === 1));
  const [back, play, forward] = ["back", "play", "forward"].map((name) =>
    element("button", `pkl-${name}`, controls, { type: "button" }),
  );
  const slider = element("input", "pkl-slider", controls, { type: "range", min: "0", step: "1" });
  const title = element("p", "pkl-scene", root);
  const caption = element("p", "pkl-caption", root, { "aria-live": "off", "aria-atomic": "true" });
  const stage = element("div", "pkl-stage", root);
  const node = element("div", "", stage, { role: "img" });
  const cue = element("p", "pkl-cue", root, { role: "status" }); // below the caption, so that the picture does not move
  const story = element("section", "pkl-story", root);
  root.state = {
    nodes: { scenes, back, play, forward, speed, slider, title, caption, cue, stage, node, story },
    data: null,
    send: null,
    film: null, // frames, traces, layouts, as sent
    colors: "", // the theme that `film` was read in
    index: 0,
    playing: 0, // a timer
    reporting: 0, // a timer
    sent: null, // the stamp of the last report; Python returns it once it has the report
    known: "", // the last place that both sides have
    asked: null, // the number of columns that Python was asked for
    width: 0,
    turn: 0,
    dead: false,
    abort: new AbortController(),
  };
  back.addEventListener("click", () => step(root, -1));
  forward.addEventListener("click", () => step(root, 1));
  play.addEventListener("click", () => (root.state.playing ? pause(root) : start(root)));
  slider.addEventListener("input", () => {
    stop(root);
    show(root, Number(slider.value), "slider");
    report(root);
  });
  const { signal } = root.state.abort;
  document.addEventListener("visibilitychange", () => document.hidden && root.state.playing && pause(root), { signal });
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  still.addEventListener("change", () => (stop(root), tellStory(root)), { signal });
  matchMedia("print").addEventListener("change", ({ matches }) => tellStory(root, matches), { signal });
  addEventListener("beforeprint", () => tellStory(root, true), { signal });
  addEventListener("afterprint", () => tellStory(root, false), { signal });
  root.state.observer = new ResizeObserver(() => onResize(root));
  root.state.observer.observe(stage);
  return root;
}

// ------------------------------------------------------------------ the picture in view

function place(root) {
  const { film, index } = root.state;
  return film.frames[index].at;
}

/** Show one picture. `how`: "play", "step", "slider" or "" (drawn because Python says so). */
function show(root, index, how = "") {
  const { state } = root;
  const { nodes, film } = state;
  state.index = Math.max(0, Math.min(film.frames.length - 1, index));
  const frame = film.frames[state.index];
  const scene = film.scenes[frame.scene - 1];
  // Only a step is announced: the slider announces itself, and while playing a voice would lag behind.
  nodes.caption.setAttribute("aria-live", how === "step" ? "polite" : "off");
  nodes.title.textContent = scene.name;
  nodes.caption.textContent = frame.caption;
  nodes.cue.textContent = state.index === film.frames.length - 1 ? state.data.words.cue : "";
  const highest = Math.max(...film.frames.filter(sameScene(frame)).map(heightIn(film)));
  nodes.stage.style.minHeight = `${larger(root) * highest}px`;
  if (how && !isStill()) {
    nodes.caption.animate?.([{ opacity: 0.3 }, { opacity: 1 }], { duration: 180 });
  }
  nodes.slider.value = String(state.index);
  nodes.slider.setAttribute("aria-valuetext", `${scene.name}. ${frame.caption}`);
  nodes.node.setAttribute("aria-label", frame.label);
  setDisabled(nodes.back, state.index === 0);
  setDisabled(nodes.forward, state.index === film.frames.length - 1);
  film.scenes.forEach((each, i) => {
    const button = nodes.scenes.children[i]?.firstChild;
    if (i === frame.scene - 1) button?.setAttribute("aria-current", "step");
    else button?.removeAttribute("aria-current");
  });
  draw(root);
}

/** The stage is as high as the scene's highest picture, so that the content below does not jump. */
const sameScene = (frame) => (other) => other.scene === frame.scene;
const heightIn = (film) => (frame) => film.layouts[frame.layout].height;

/** The scale of the pictures: the same for all, so that nothing jumps. */
function larger(root) {
  const { film, width, data } = root.state;
  return Math.min(...film.layouts.map((layout) => enlargement(layout, width, data.largest)));
}

/** Not the disabled attribute: the button would lose the focus while the learner steps with the keyboard. */
function setDisabled(button, disabled) {
  if (disabled) button.setAttribute("aria-disabled", "true");
  else button.removeAttribute("aria-disabled");
}

function step(root, by) {
  const { state } = root;
  stop(root);
  const next = state.index + by;
  if (next < 0 || next >= state.film.frames.length) return;
  show(root, next, "step");
  report(root);
}

function goTo(root, scene) {
  stop(root);
  const index = root.state.film.frames.findIndex((frame) => frame.scene === scene);
  if (index < 0) return;
  show(root, index, "step");
  report(root);
}

// ------------------------------------------------------------------ playing

function start(root) {
  const { state } = root;
  const { frames } = state.film;
  if (state.index === frames.length - 1) {
    show(root, frames.findIndex((frame) => frame.scene === frames[state.index].scene), "play"); // play this scene again
  }
  clearTimeout(state.reporting);
  next(root);
  drawPlay(root);
}

function next(root) {
  const { state } = root;
  const wait = Math.max(LEAST_MS, state.film.frames[state.index].reads) / Number(state.nodes.speed.value);
  state.playing = setTimeout(() => {
    show(root, state.index + 1, "play");
    if (state.index < state.film.frames.length - 1) next(root);
    else pause(root);
  }, wait);
}

/** Stop playing and report the place at once. */
function pause(root) {
  stop(root);
  report(root, 0);
}

function stop(root) {
  clearTimeout(root.state.playing);
  root.state.playing = 0;
  drawPlay(root);
}

function drawPlay(root) {
  const { nodes, data, playing } = root.state;
  nodes.play.textContent = playing ? data.words.pause : data.words.play;
  nodes.play.classList.toggle("pkl-playing", playing !== 0);
}

// ------------------------------------------------------------------ reports to Python

/** Report the place once the reader has stopped stepping. */
function report(root, wait = SETTLE_MS) {
  const { state } = root;
  clearTimeout(state.reporting);
  state.reporting = setTimeout(
    () =>
      afterRun(() => {
        if (state.dead || state.playing || place(root) === state.known) return;
        state.sent = Date.now();
        state.known = place(root);
        state.send("place", { at: state.known, stamp: state.sent });
      }),
    wait,
  );
}

/**
 * Must the animation go to Python's place, for example after the browser's Back button? Not while a report is under
 * way: Python's place is then from before the report.
 */
function follow(root, { at, heard }) {
  const { state } = root;
  if (state.sent !== null && heard !== state.sent && Date.now() - state.sent < LONGEST_WAIT_MS) return false;
  const elsewhere = at !== state.known;
  state.sent = null;
  state.known = at;
  return elsewhere;
}

/** Tell Python how many columns fit, once for each animation, so that a refusal cannot cause a loop. */
function askForColumns(root) {
  const { state } = root;
  if (!state.width || !state.film) return;
  const columns = columnsFor(state.width, state.film.layouts[0].meta?.wide_from);
  if (columns === state.data.columns) state.asked = null;
  else if (state.asked !== columns) {
    state.asked = columns;
    afterRun(() => {
      if (!state.dead && state.asked === columns) state.send("columns", columns);
    });
  }
}

// ------------------------------------------------------------------ drawing

/** Read the animation's data in the page's colours. Returns whether anything has changed. */
function read(root) {
  const { state } = root;
  const { film, dark_colors, contrast } = state.data;
  const colors = contrast ? JSON.stringify(contrast) : String(isDark(root));
  if (state.film && state.text === film && state.colors === colors) return false;
  const parsed = JSON.parse(film, themed(root, dark_colors, contrast));
  for (const trace of parsed.traces) Object.assign(trace, { type: "scatter", hoverinfo: "skip" });
  for (const layout of parsed.layouts) settle(root, layout);
  Object.assign(state, { film: parsed, text: film, colors, asked: null });
  return true;
}

async function draw(root) {
  const { state } = root;
  const { node } = state.nodes;
  const turn = ++state.turn;
  const frame = state.film.frames[state.index];
  const meta = state.film.layouts[frame.layout].meta ?? {};
  const by = larger(root);
  node.style.maxWidth = meta.max_width ? `${by * meta.max_width}px` : "";
  node.style.minWidth = `${by * (meta.min_width ?? 0)}px`;
  node.style.height = `${by * state.film.layouts[frame.layout].height}px`;
  let Plotly;
  try {
    Plotly = await loadPlotly(state.data.url);
  } catch {
    node.textContent = frame.label; // the text has the same facts
    return;
  }
  if (state.dead || turn !== state.turn) return;
  const [traces, layout] = figure(root, frame);
  await redraw(Plotly, node, enlarged(traces, by), { ...enlarged(layout, by), height: by * layout.height });
}

function onResize(root) {
  const { state } = root;
  const width = state.nodes.stage.clientWidth;
  if (state.dead || width === 0 || width === state.width) return;
  state.width = width;
  askForColumns(root);
  if (state.data?.largest && state.film) show(root, state.index);
  else if (state.nodes.node.data) window.Plotly.Plots.resize(state.nodes.node).catch(() => {});
}

// ------------------------------------------------------------------ words

/** Label the buttons and the scenes; closed scenes have no name yet. */
function label(root) {
  const { nodes, data, film } = root.state;
  const { words } = data;
  root.setAttribute("aria-label", words.label);
  root.style.setProperty("--pkl-on-primary", readableOn(themeValue(root, "--st-primary-color") || "#0b5563"));
  nodes.back.textContent = words.back;
  nodes.forward.textContent = words.forward;
  nodes.speed.setAttribute("aria-label", words.speed);
  nodes.slider.setAttribute("aria-label", words.position);
  nodes.slider.max = String(film.frames.length - 1);
  nodes.scenes.setAttribute("aria-label", words.scenes);
  while (nodes.scenes.children.length < film.scenes.length) {
    const number = nodes.scenes.children.length + 1;
    const button = element("button", "", element("li", "", nodes.scenes), { type: "button" });
    button.textContent = String(number);
    button.addEventListener("click", () => goTo(root, number));
  }
  film.scenes.forEach((scene, i) => {
    const button = nodes.scenes.children[i].firstChild;
    button.setAttribute("aria-label", scene.name);
    button.title = scene.name;
    setDisabled(button, !scene.open);
  });
  drawPlay(root);
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(":scope > .pkl-animation") ?? build(parentElement);
  const { state } = root;
  state.send = setTriggerValue;
  const before = state.film ? place(root) : "";
  state.data = data;
  const fresh = read(root);
  label(root);
  const elsewhere = follow(root, data);
  const at = elsewhere || !before ? data.at : before;
  const index = Math.max(0, state.film.frames.findIndex((frame) => frame.at === at));
  if (elsewhere) stop(root);
  if (fresh) tellStory(root);
  const largest = data.largest ?? 1;
  if (fresh || elsewhere || largest !== state.largest) show(root, index);
  state.largest = largest;
  askForColumns(root);
  const mine = (state.calls = (state.calls ?? 0) + 1);
  return () => {
    // Streamlit also runs the clean-up of an older call when a newer one has come; the node is then still in use.
    if (mine !== state.calls) return;
    state.dead = true;
    clearTimeout(state.playing);
    clearTimeout(state.reporting);
    state.abort.abort();
    state.observer.disconnect();
    clearStory(root);
    if (window.Plotly) window.Plotly.purge(state.nodes.node);
    root.remove();
  };
}
