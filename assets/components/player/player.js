// A run to step through, play or scrub, all of it in the browser: the server sends the frames once. Comes after colors.js,
// after_run.js, element.js, figure.js, live_figure.js, delivery.js, turns.js and its own parts.

const WHEEL_STEP = 60; // pixels of a wheel for one place

function build(parentElement, parts) {
  const root = element("div", "pkl-player", parentElement, { role: "group" });
  const nodes = {};
  for (const [name, tag, className] of [
    ["controls", "div", "pkl-controls"],
    ["title", "p", "pkl-scene"],
    ["headline", "p", "pkl-headline"],
    ["sentence", "p", "pkl-caption"],
    ["stage", "div", "pkl-stage"],
    ["cue", "p", "pkl-cue"],
    ["story", "section", "pkl-story"],
  ]) {
    nodes[name] = element(tag, className);
  }
  nodes.cue.setAttribute("role", "status");
  nodes.jumps = element("ol", "pkl-scenes", nodes.controls, { role: "list" });
  nodes.speed = element("select", "pkl-button pkl-speed", nodes.controls);
  for (const name of NAMES) {
    nodes[name] = element("button", `pkl-button pkl-${name}`, nodes.controls, { type: "button", "aria-keyshortcuts": SHORTCUTS[name] });
    nodes[name].append(icon(name));
    nodes[name].addEventListener("click", () => act(root, name));
  }
  nodes.playWord = element("span", "", nodes.play);
  nodes.slider = element("input", "pkl-slider", nodes.controls, { type: "range", min: "0", step: "1" });
  nodes.position = element("p", "pkl-position", nodes.controls);
  element("span", "", nodes.position);
  element("span", "pkl-brief", nodes.position, { "aria-hidden": "true" });
  for (const name of LIVE) nodes[name].setAttribute("aria-atomic", "true");
  nodes.list = makeList(root, (step) => go(root, `${step}`));
  nodes.keys = element("p", "pkl-keys", root);
  for (const name of parts) root.append(nodes[name]);
  root.state = {
    nodes,
    boxes: new Map(), // the figures by name
    data: null,
    send: null,
    film: null, // in the page's colours
    sent: null, // the film as sent
    colors: "", // the theme that it was read in
    version: "", // names the film
    places: [],
    rows: [], // the operations
    index: 0,
    shown: "", // the place that was shown last
    log: "", // the log that the places belong to
    delivery: makeDelivery(root, () => settleAt(root)),
    dirty: false, // the server does not know the place in view
    taken: false, // it goes with a press
    press: null, // an operation under way whose frames were there
    asked: null, // an operation under way whose frames are not here yet
    ready: null, // the chunk of an operation that was not pressed yet, read
    resting: 0, // the timer of the report
    waiting: 0, // the timer of asking for more
    playing: false,
    timer: 0, // of the playing
    wheel: 0,
    room: null, // what the figures may be high, in pixels; null: to be measured
    titles: "", // of the figures in view
    dead: false,
    abort: new AbortController(),
  };
  nodes.slider.addEventListener("input", () => {
    const index = Number(nodes.slider.value);
    whenDrawn(root, () => (stop(root), move(root, index, "slider")));
  });
  nodes.slider.addEventListener("wheel", (event) => onWheel(root, event), { passive: false });
  return root;
}

function listen(root) {
  const { signal } = root.state.abort;
  document.addEventListener("keydown", (event) => onKey(root, event), { signal });
  document.addEventListener("visibilitychange", () => document.hidden && (pause(root), flush(root)), { signal });
  for (const kind of ["blur", "pagehide"]) addEventListener(kind, () => flush(root), { signal });
  for (const kind of ["pointerdown", "click", "input"]) {
    document.addEventListener(kind, (event) => onElse(root, event), { signal, capture: true });
  }
  // Back and Forward lead elsewhere: what was not reported yet is given up.
  addEventListener("resize", () => fitStage(root), { signal });
  const sizes = new ResizeObserver(() => fitStage(root));
  for (const name of ["headline", "controls"]) sizes.observe(root.state.nodes[name]);
  signal.addEventListener("abort", () => sizes.disconnect());
  addEventListener("popstate", () => settleAt(root), { signal });
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  still.addEventListener("change", () => (stop(root), tellStory(root)), { signal });
  matchMedia("print").addEventListener("change", ({ matches }) => tellStory(root, matches), { signal });
  addEventListener("beforeprint", () => tellStory(root, true), { signal });
  addEventListener("afterprint", () => tellStory(root, false), { signal });
}

// ------------------------------------------------------------------ moving

/** Do it once the operations that were pressed before it are drawn. */
function whenDrawn(root, doIt) {
  inTurn(root, () => root.state.asked === null, doIt);
}

function act(root, name) {
  whenDrawn(root, () => {
    if (name === "play") return void (root.state.playing ? pause : start)(root);
    const index = target(root, name);
    stop(root);
    if (index >= 0) move(root, index, "step");
  });
}

/** Go to a place because the learner said so. */
function go(root, place) {
  whenDrawn(root, () => {
    stop(root);
    move(root, root.state.places.indexOf(place), "step");
  });
}

function move(root, index, how) {
  const { state } = root;
  if (state.press) state.press.stepped = true;
  show(root, index, how);
  if (how !== "play") return report(root);
  setDirty(root, true);
  return wait(root);
}

function onKey(root, event) {
  const { data, places } = root.state;
  const action = keyAction(event);
  const inside = root.contains(event.target);
  const elsewhere = event.target instanceof Element && !inside && event.target.closest(".pkl-player");
  if (!root.isConnected || elsewhere || (!inside && !data.keys)) return;
  const scrolls = ["Home", "End", " "].includes(event.key) && data.keys === "arrows" && !inside;
  if (!action || scrolls) return void (["Enter", " "].includes(event.key) ? onElse(root, event) : flush(root));
  if (places.length < 2) return;
  event.preventDefault();
  act(root, action);
}

/** The wheel over the slider goes from place to place. */
function onWheel(root, event) {
  const { state } = root;
  if (event.ctrlKey) return;
  event.preventDefault();
  state.wheel += event.deltaY;
  if (Math.abs(state.wheel) < WHEEL_STEP) return;
  act(root, state.wheel > 0 ? "event_forward" : "event_back");
  state.wheel = 0;
}

// ------------------------------------------------------------------ on the page

/** For the other components of the page: the player that its keys move. See operation_buttons.js. */
function meet(root) {
  window.pagedKvLabPlayer = {
    root,
    isFree: () => root.state.press === null && root.state.asked === null,
    isAtEnd: () => isAtEnd(root),
    takePlace: () => takePlace(root),
    listChunks,
    expect: () => expect(root),
    hearPress: (id, index) => hearPress(root, id, index),
    hearAnswer: (lost) => hearAnswer(root, lost),
  };
}

/** Take what the server has drawn. */
function take(root, data) {
  const { state } = root;
  const isFirst = state.film === null;
  if (state.data === null) listen(root);
  const place = isFirst ? "" : placeOf(root);
  // A state from before the operation that is under way: the frames that the browser has are newer.
  const old = state.press !== null && data.log === state.press.log;
  state.data = data;
  const film = old ? state.sent : data.film;
  const fresh = readFilm(root, film, old ? state.press.ahead : null);
  if (fresh === null) return void afterRun(() => state.send("lost", Date.now())); // the server sends all of it again
  state.sent = film;
  if (data.keys) meet(root);
  if (data.list) fillList(state.nodes.list, data.rows, data.words);
  label(root);
  fitStage(root);
  if (fills(root)) afterRun(() => fitStage(root)); // what is above has its place then
  if (isFirst) settleAt(root);
  else if (old) show(root, state.index);
  else hear(root, place);
  if (fresh) tellStory(root);
  expect(root);
  askForMore(root);
  takeTurns();
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(":scope > .pkl-player") ?? build(parentElement, data.parts);
  const { state } = root;
  state.send = setTriggerValue;
  const mine = (state.calls = (state.calls ?? 0) + 1);
  const unpacking = keepSent(data.film.packed);
  if (unpacking) unpacking.then(() => mine === state.calls && !state.dead && take(root, data));
  else take(root, data);
  return () => {
    // Streamlit also runs the clean-up of an older call when a newer one has come; the node is then still in use.
    if (mine !== state.calls) return;
    state.dead = true;
    clearTimeout(state.timer);
    clearTimeout(state.resting);
    clearTimeout(state.waiting);
    dropDelivery(state.delivery);
    dropTurns(root);
    state.abort.abort();
    clearStory(root);
    if (window.pagedKvLabPlayer?.root === root) window.pagedKvLabPlayer = undefined;
    state.boxes.forEach(dropFigure);
    root.remove();
  };
}
