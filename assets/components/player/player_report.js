// What the browser and the server tell each other. The browser moves first and reports its place when it rests, once. Comes
// before player.js, after delivery.js and player_places.js.

const REST_MS = 400; // a series of quick steps is one report
const IDLE_MS = 800;

/** Report the place in view once the reader rests. */
function report(root, wait = REST_MS) {
  const { state } = root;
  if (state.data.alone) return;
  clearTimeout(state.resting);
  setDirty(root, true);
  state.resting = setTimeout(() => afterRun(() => sendPlace(root)), wait);
}

/** When nothing happens, ask for the frames that the server had no time to draw: by a report of the place that it has. */
function askForMore(root) {
  const { state } = root;
  clearTimeout(state.waiting);
  if (!state.film.more) return;
  state.waiting = setTimeout(() => {
    if (state.dead || state.dirty || state.delivery.sent || state.press || document.hidden) return;
    deliver(state.delivery, state.send, "seek", { at: state.data.at, log: state.log, have: listChunks() });
  }, IDLE_MS);
}

/** Report it now, before another press. */
function flush(root) {
  if (!root.state.dirty) return;
  clearTimeout(root.state.resting);
  if (isSettled() || document.hidden) sendPlace(root);
  else afterRun(() => sendPlace(root));
}

function sendPlace(root) {
  const { state } = root;
  const at = placeOf(root);
  if (state.dead || !state.dirty || state.delivery.sent || state.press) return;
  if (state.playing && state.film.frames[at]) return; // one report for all of it, at its end
  setDirty(root, false);
  if (at !== state.data.at) deliver(state.delivery, state.send, "seek", { at, log: state.log, have: listChunks() }); // else: back already
}

/** Is the place in view one that the server does not know yet? Links and copies wait for it, see delivery.js. */
function setDirty(root, dirty) {
  root.state.dirty = dirty && !root.state.data.alone;
  setPending(root.state.nodes.controls, root.state.dirty);
}

/** Go to the server's place: nothing of ours is under way any more. */
function settleAt(root, how = "") {
  const { state } = root;
  if (!state.film) return;
  clearTimeout(state.resting);
  dropDelivery(state.delivery);
  setDirty(root, false);
  state.press = null;
  state.asked = null;
  state.taken = false;
  stop(root);
  state.log = state.data.log;
  adoptPlaces(root);
  show(root, Math.max(0, state.places.indexOf(state.data.at)), how);
}

/**
 * What the server has drawn: the answer to a report, another place, or a state from before what the browser has done since.
 * `place`: what was in view.
 */
function hear(root, place) {
  const { state } = root;
  const { data } = state;
  answered(state.delivery, data.heard);
  const stepped = state.press?.stepped;
  if (data.log !== state.log) return settleAt(root, "step");
  state.press = null;
  adoptPlaces(root);
  const mine = state.delivery.sent || state.dirty || state.taken || stepped;
  const index = state.places.indexOf(mine ? place : data.at);
  if (index < 0) return settleAt(root);
  if (!mine && data.at !== place) stop(root);
  show(root, index, mine ? "" : "step");
  if (stepped || (state.dirty && !state.playing)) report(root);
  if (state.playing) wait(root);
  return undefined;
}

// ------------------------------------------------------------------ operations

/**
 * An operation's button was pressed. If its frames came along, its result is drawn at once, else they are fetched, and the
 * press may wait for the promise that is returned. The server confirms the result, or its own is drawn.
 */
function hearPress(root, id, index) {
  const { state } = root;
  const ahead = findAhead(root);
  stop(root);
  state.asked = { id };
  if (!isAtEnd(root)) return null;
  if (ahead?.id !== id || ahead.index !== index) return state.data.ahead ? fetchAhead(root, id) : null;
  drawAhead(root, ahead);
  return null;
}

/** The press was answered or lost. The page has the new state after the run; if not, the press was refused. */
function hearAnswer(root, lost) {
  const { state } = root;
  const { press, asked } = state;
  const finish = () => {
    if (state.dead || state.press !== press || state.asked !== asked) return;
    if (press) settleAt(root);
    else if (state.taken && lost) report(root);
    Object.assign(state, { asked: null, taken: false });
    takeTurns();
  };
  if (lost) finish();
  else afterRun(finish);
}

/** Fetch the frames of an operation that is not the suggested one: the page's own answer takes longer. */
async function fetchAhead(root, id) {
  const { state } = root;
  const { asked } = state;
  const { log } = state.data;
  try {
    const answer = await fetch(`${state.data.ahead}/${id}`);
    if (answer.status !== 200) return;
    const ahead = await answer.json();
    await keepSent({ [ahead.chunk]: ahead.packed });
    if (state.asked !== asked || state.dead || state.data.log !== log) return;
    drawAhead(root, ahead);
    takeTurns();
  } catch {
    // The page's own answer is drawn.
  }
}

function drawAhead(root, ahead) {
  const { state } = root;
  state.press = { log: state.data.log, ahead, stepped: false };
  state.asked = null;
  state.log = ahead.log;
  readFilm(root, state.sent, ahead);
  adoptPlaces(root);
  show(root, state.places.length - 1, "step");
}

/** The place that goes with a press; null if the server knows it. */
function takePlace(root) {
  const { state } = root;
  clearTimeout(state.resting);
  const at = placeOf(root);
  if (!state.dirty && !state.delivery.sent) return null;
  dropDelivery(state.delivery);
  setDirty(root, false);
  state.taken = true;
  return { at, log: state.log, step: groupOf(at) };
}

/** Take the film's places, and those of the operation that was pressed. */
function adoptPlaces(root) {
  const { state } = root;
  const { film, data, press } = state;
  state.places = press ? [...film.places, ...press.ahead.places] : film.places;
  state.rows = press ? [...data.rows, press.ahead.row] : data.rows;
}
