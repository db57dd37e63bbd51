// Time travel over a log: buttons, keys, playback on the real page, and the list of all operations. A move holds the
// place to go to, never a direction, and a stamp. Comes after colors.js, after_run.js, element.js,
// time_machine_places.js, time_machine_keys.js, time_machine_list.js and time_machine_draw.js.

const GIVE_UP_MS = 4000;
const TRIES = 2;
// Events by which the learner acts; they end the playback.
const ACTED_ON = "button, a, input, select, textarea, summary, [role='img'], [contenteditable]";

function build(parentElement) {
  const root = element("div", "pkl-time", parentElement, { role: "group" });
  const controls = element("div", "pkl-time-controls", root);
  const nodes = { list: null };
  for (const name of NAMES) {
    nodes[name] = element("button", `pkl-${name}`, controls, { type: "button", "aria-keyshortcuts": SHORTCUTS[name] });
    nodes[name].append(icon(name));
    nodes[name].addEventListener("click", () => act(root, name));
  }
  nodes.playWord = element("span", "", nodes.play);
  nodes.speed = element("select", "", controls);
  nodes.position = element("p", "pkl-position", root, { "aria-live": "off", "aria-atomic": "true" });
  nodes.list = makeList(root, (step) => (stop(root), go(root, { step, event: 0 }, "step")));
  nodes.keys = element("p", "pkl-keys", root);
  root.state = {
    nodes,
    data: null,
    send: null,
    want: null, // the place to go to; Python may not have it yet
    shown: "", // the place that was drawn last
    sent: null, // the move under way; Python returns its stamp with the answer
    queued: false, // a move waits for the page to settle
    giveUp: 0, // the timer
    playing: 0, // 0, or the number of this playback
    plays: 0,
    timer: 0,
    since: 0, // when the last operation was requested
    dead: false,
    abort: new AbortController(),
  };
  const { signal } = root.state.abort;
  document.addEventListener("keydown", (event) => onKey(root, event), { signal });
  document.addEventListener("visibilitychange", () => document.hidden && stop(root), { signal });
  for (const kind of ["pointerdown", "click", "input"]) {
    document.addEventListener(kind, (event) => onElse(root, event), { signal, capture: true });
  }
  return root;
}

// ------------------------------------------------------------------ moving

function act(root, name) {
  const { state } = root;
  if (name === "play") return state.playing ? stop(root) : start(root);
  stop(root);
  const to = target(name, state.want, state.data.rows);
  if (to) go(root, to, "step");
}

function onKey(root, event) {
  const action = keyAction(event);
  if (!action || !root.isConnected || !root.state.data.rows.length) return;
  event.preventDefault();
  act(root, action);
}

/** `how`: see draw. */
function go(root, place, how) {
  root.state.want = place;
  draw(root, how);
  flush(root);
}

/** Send moves to Python one at a time: of a series of quick steps it gets the first and the last. */
function flush(root) {
  const { state } = root;
  if (state.sent || state.queued) return;
  state.queued = true;
  afterRun(() => {
    state.queued = false;
    const at = write(state.want);
    if (state.dead || state.sent) return;
    if (at === state.data.at) return void (state.playing && wait(root)); // back at Python's place before the move was sent
    state.sent = { at, stamp: Date.now(), log: state.data.log };
    send(root, TRIES);
  });
}

/** Streamlit loses a move that is sent while a callback runs: a move without an answer is sent again, same stamp. */
function send(root, tries) {
  const { state } = root;
  if (!tries) return void (settle(root), draw(root, ""));
  state.giveUp = setTimeout(() => send(root, tries - 1), GIVE_UP_MS);
  return state.send("go", state.sent);
}

/** Go to Python's place: no move is under way any more. */
function settle(root) {
  const { state } = root;
  clearTimeout(state.giveUp);
  state.sent = null;
  state.want = read(state.data.at);
  stop(root);
}

/** Handle what Python has drawn: the answer to a move, another place, or a state from before the move. */
function hear(root, before) {
  const { state } = root;
  const { sent, data } = state;
  if (!before || before.log !== data.log) return settle(root);
  if (!sent) return before.at === data.at ? undefined : settle(root);
  if (data.heard !== sent.stamp) return undefined;
  if (data.at !== sent.at) return settle(root); // the move was refused
  clearTimeout(state.giveUp);
  state.sent = null;
  if (write(state.want) !== data.at) return flush(root);
  return state.playing ? wait(root) : undefined;
}

// ------------------------------------------------------------------ playing

function start(root) {
  const { state } = root;
  if (!state.data.rows.length) return;
  state.playing = state.plays += 1;
  drawPlay(root);
  const forward = target("forward", state.want, state.data.rows);
  next(root, forward ?? { step: 0, event: 0 }); // at the end, play from the beginning again
}

function next(root, place) {
  root.state.since = performance.now();
  go(root, place, "play");
}

/** Once the page has settled, wait for the rest of the interval. A refused operation counts like any other. */
function wait(root) {
  const { state } = root;
  const { playing, want } = state;
  if (!target("forward", want, state.data.rows)) return stop(root);
  if (!want.event && state.data.stops.includes(want.step)) return stop(root); // this place has a question or a point
  afterRun(() => {
    if (state.dead || state.playing !== playing) return;
    const rest = 1000 / Number(state.nodes.speed.value) - (performance.now() - state.since);
    state.timer = setTimeout(() => next(root, target("forward", state.want, state.data.rows)), Math.max(0, rest));
  });
}

function stop(root) {
  clearTimeout(root.state.timer);
  root.state.playing = 0;
  drawPlay(root);
}

function onElse(root, event) {
  if (!root.state.playing || root.contains(event.target)) return;
  if (event.target instanceof Element && event.target.closest(ACTED_ON)) stop(root);
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(":scope > .pkl-time") ?? build(parentElement);
  const { state } = root;
  const before = state.data;
  state.data = data;
  state.send = setTriggerValue;
  label(root);
  hear(root, before);
  draw(root, "");
  drawPlay(root);
  const mine = (state.calls = (state.calls ?? 0) + 1);
  return () => {
    // Streamlit also runs the clean-up of an older call when a newer one has come; the node is then still in use.
    if (mine !== state.calls) return;
    state.dead = true;
    clearTimeout(state.timer);
    clearTimeout(state.giveUp);
    state.abort.abort();
    root.remove();
  };
}
