// Playing, all of it in the browser. Comes before player.js, after player_places.js.

const LEAST_MS = 1400; // for a picture with a very short caption, at speed 1
// Events by which the learner acts; they end the playing.
const ACTED_ON = "button, a, input, select, textarea, summary, [role='img'], [contenteditable]";

function start(root) {
  const { state } = root;
  if (state.places.length < 2) return;
  state.playing = true;
  clearTimeout(state.resting);
  drawPlay(root);
  if (target(root, "forward") >= 0) return void next(root);
  // At the end, play again: the scene, or the run from its beginning.
  const again = state.data.by_event ? 0 : state.places.findIndex((at) => groupOf(at) === groupOf(placeOf(root)));
  move(root, again, "play");
}

function next(root) {
  const { state } = root;
  if (state.data.by_event) move(root, target(root, "forward"), "play");
  else wait(root); // the first picture stands as long as every other
}

/** Stand still as long as a picture stands; then the next. Without that picture, wait for it. */
function wait(root) {
  const { state } = root;
  clearTimeout(state.timer);
  const frame = state.film.frames[placeOf(root)];
  if (!frame) return; // it is on its way, see hear()
  const forward = target(root, "forward");
  if (forward < 0 || state.data.stops.includes(placeOf(root))) return pause(root); // the end, a question or a point
  const stands = state.data.by_event ? 1000 : Math.max(LEAST_MS, frame.reads);
  state.timer = setTimeout(() => move(root, forward, "play"), stands / Number(state.nodes.speed.value));
}

/** Stop playing and report the place at once. */
function pause(root) {
  if (!root.state.playing) return;
  stop(root);
  report(root, 0);
}

function stop(root) {
  clearTimeout(root.state.timer);
  root.state.playing = false;
  drawPlay(root);
}

function onElse(root, event) {
  if (root.contains(event.target)) return;
  if (root.state.playing && event.target instanceof Element && event.target.closest(ACTED_ON)) stop(root);
  // An operation's press takes the place along.
  if (!(event.target instanceof Element && event.target.closest(".pkl-operations"))) flush(root);
}
