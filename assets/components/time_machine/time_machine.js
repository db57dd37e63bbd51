// Time travel over a log: buttons, keys, playing on the real page, and the list of all operations. Every move names the
// place to go to, never a direction, and carries a stamp. Comes after colors.js, after_run.js, element.js,
// time_machine_places.js, time_machine_keys.js, time_machine_list.js and time_machine_draw.js.

const GIVE_UP_MS = 4000;
const TRIES = 2;
// What is somebody's action, and so ends the playing.
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
    want: null, // the place to be at: Python may not have heard of it yet
    shown: "", // the place last drawn
    sent: null, // the move under way; Python gives its stamp back with the answer
    queued: false, // a move waits for the page to settle
    giveUp: 0, // the timer
    playing: 0, // 0, or the number of this playing
    plays: 0,
    timer: 0,
    since: 0, // when the last operation was asked for
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

/** Tell Python, one move at a time: of a row of quick steps it hears the first and the last. */
function flush(root) {
  const { state } = root;
  if (state.sent || state.queued) return;
  state.queued = true;
  afterRun(() => {
    state.queued = false;
    const at = write(state.want);
    if (state.dead || state.sent) return;
    if (at === state.data.at) return void (state.playing && wait(root)); // there again before it was told
    state.sent = { at, stamp: Date.now(), log: state.data.log };
    send(root, TRIES);
  });
}

/** Streamlit loses what is sent while a callback runs: what nothing has come of is sent again, with the same stamp. */
function send(root, tries) {
  const { state } = root;
  if (!tries) return void (settle(root), draw(root, ""));
  state.giveUp = setTimeout(() => send(root, tries - 1), GIVE_UP_MS);
  return state.send("go", state.sent);
}

/** Be where Python says: nothing is under way any more. */
function settle(root) {
  const { state } = root;
  clearTimeout(state.giveUp);
  state.sent = null;
  state.want = read(state.data.at);
  stop(root);
}

/** What Python says, once it has drawn: the answer to a move, another place, or something older than the move. */
function hear(root, before) {
  const { state } = root;
  const { sent, data } = state;
  if (!before || before.log !== data.log) return settle(root);
  if (!sent) return before.at === data.at ? undefined : settle(root);
  if (data.heard !== sent.stamp) return undefined;
  if (data.at !== sent.at) return settle(root); // it could not
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
  next(root, forward ?? { step: 0, event: 0 }); // from the end, once more from the beginning
}

function next(root, place) {
  root.state.since = performance.now();
  go(root, place, "play");
}

/** Once the page has settled, wait for the rest of the interval; what was refused is one operation like any other. */
function wait(root) {
  const { state } = root;
  const { playing, want } = state;
  if (!target("forward", want, state.data.rows)) return stop(root);
  if (!want.event && state.data.stops.includes(want.step)) return stop(root); // something is asked, or told, here
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
    // Streamlit also cleans up after a call that a newer one has overtaken; the node is then still in use.
    if (mine !== state.calls) return;
    state.dead = true;
    clearTimeout(state.timer);
    clearTimeout(state.giveUp);
    state.abort.abort();
    root.remove();
  };
}
