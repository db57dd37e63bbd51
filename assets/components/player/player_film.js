// The frames of a run. The server sends them in chunks, a chunk once and packed: parts that several figures share are in it
// once.
// Comes before player.js, after colors.js and figure.js. See lessons/widgets/player.py.

const MOST_CHUNKS = 200;
const chunks = (window.pagedKvLabChunks ??= new Map()); // id -> text, the newest last

/**
 * Read the film in the page's colours. Returns whether anything has changed; null if the server takes a chunk for known
 * that this window does not have. `ahead`: of the operation under way.
 */
function readFilm(root, { places, chunks: ids, more }, ahead = null) {
  const { state } = root;
  const { dark_colors, contrast } = state.data;
  const colors = contrast ? JSON.stringify(contrast) : String(isDark(root));
  const all = ahead ? [...ids, ahead.chunk] : ids;
  if (!all.every((id) => chunks.has(id))) return null;
  const before = new Map(state.colors === colors ? state.film?.chunks : []);
  if (state.ready?.colors === colors) before.set(state.ready.id, state.ready.chunk);
  const read = new Map(all.map((id) => [id, before.get(id) ?? readChunk(root, chunks.get(id))]));
  for (const id of all) keepChunk(id, chunks.get(id));
  const version = all.join();
  const fresh = version !== state.version || colors !== state.colors;
  const frames = Object.assign({}, ...[...read.values()].map((chunk) => chunk.frames));
  const layouts = [...read.values()].flatMap((chunk) => chunk.layouts);
  Object.assign(state, { film: { places, more, frames, layouts, chunks: read }, colors, version });
  return fresh;
}

/** Unpack chunks, by their ids, and keep them. Returns null if they are there already, else a promise. */
function keepSent(packed) {
  const fresh = Object.entries(packed).filter(([id]) => !chunks.has(id));
  return fresh.length ? Promise.all(fresh.map(async ([id, each]) => keepChunk(id, await unzip(each)))) : null;
}

/** The text that was packed: gzip, base64. */
function unzip(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

/** What came ahead for the operation that is suggested now; null if nothing did, or if it is not unpacked yet. */
function findAhead(root) {
  const ahead = window.pagedKvLabAhead;
  if (!ahead || ahead.before !== root.state.data.log) return null;
  return chunks.has(ahead.chunk) ? ahead : null;
}

/** Read what came ahead when nothing else is to be done, so that a press finds it ready. */
function expect(root) {
  setTimeout(async () => {
    const { state } = root;
    const { chunk, packed } = window.pagedKvLabAhead ?? {};
    if (packed) await keepSent({ [chunk]: packed });
    const id = state.dead || !state.film ? undefined : findAhead(root)?.chunk;
    if (!id || (state.ready?.id === id && state.ready.colors === state.colors)) return;
    state.ready = { id, colors: state.colors, chunk: readChunk(root, chunks.get(id)) };
  });
}

function keepChunk(id, text) {
  chunks.delete(id);
  chunks.set(id, text);
  if (chunks.size > MOST_CHUNKS) chunks.delete(chunks.keys().next().value);
}

/** The ids of the chunks that need not be sent again. */
const listChunks = () => [...chunks.keys()];

function readChunk(root, text) {
  const { dark_colors, contrast } = root.state.data;
  const chunk = JSON.parse(text, themed(root, dark_colors, contrast));
  chunk.layouts = chunk.layouts.map((layout) => settle(root, unpack(chunk, layout)));
  for (const frame of Object.values(chunk.frames)) frame.chunk = chunk;
  return chunk;
}

/** A trace or a layout: `v` values, `p` values in the pool, `a` lists of values in the pool. */
function unpack({ pool }, { v, p, a }) {
  const whole = { ...v };
  for (const [name, i] of Object.entries(p)) whole[name] = pool[i];
  for (const [name, list] of Object.entries(a)) whole[name] = list.map((i) => pool[i]);
  return whole;
}

/** A figure of a frame, new each time: Plotly fills in what it draws. */
function figureOf({ chunk }, { traces, layout }) {
  return { traces: traces.map((i) => unpack(chunk, chunk.traces[i])), layout: { ...chunk.layouts[layout] }, settled: true };
}

const FITS = "(min-width: 1000px)"; // windows that a presented player fits, see presenter.css
const LEAST_FIT = 0.6; // times the usual size

/** Does the player fill what the window has left for it? */
const fills = (root) => Boolean(root.state.data.largest) && matchMedia(FITS).matches;

/** The scale of the figures: the same for all places, so that nothing jumps. Undefined: each figure has its own. */
function scaleOf(root, room) {
  const { state } = root;
  const { film, data } = state;
  if (!fills(root)) {
    if (data.by_event) return undefined;
    return Math.min(...film.layouts.map((layout) => enlargement(layout, room, data.largest, UNDER_WORDS)));
  }
  const narrowest = Math.max(...film.layouts.map(({ meta, xaxis }) => meta?.min_width ?? xaxis?.range?.[1] ?? 700));
  const tallest = Math.max(data.tallest, ...Object.values(film.frames).map((frame) => heightOfFrame(root, frame)));
  return Math.max(LEAST_FIT, Math.min((data.zoom * room) / narrowest, (state.room ??= measureRoom(state)) / tallest));
}

/** The height of a frame's figures, which stand below each other or side by side. */
function heightOfFrame(root, { figures, chunk }) {
  const heights = Object.values(figures).map(({ layout }) => heightOf(chunk.layouts[layout]));
  return root.state.data.stacked ? heights.reduce((sum, each) => sum + each, 0) : Math.max(...heights);
}

/** The height that is left for figures, in pixels. Measured by `fitStage`: a step would lay out the page before it draws. */
function measureRoom({ nodes, boxes }) {
  const titles = [...boxes.values()].map((box) => box.parentElement.firstChild.offsetHeight);
  return nodes.stage.clientHeight - Math.max(0, ...titles);
}

/** Give the stage what the window has left below it and above its lower edge, so that the buttons are in view. */
function fitStage(root) {
  const { stage, controls } = root.state.nodes;
  if (!root.state.data || root.state.dead) return;
  if (!fills(root)) return void (stage.style.height = "");
  const scrolled = document.querySelector('[data-testid="stMain"]')?.scrollTop ?? 0;
  const below = controls.getBoundingClientRect().bottom - stage.getBoundingClientRect().bottom;
  const room = innerHeight - scrolled - stage.getBoundingClientRect().top - Math.max(0, below) - 4;
  const height = `${Math.round(Math.max(200, room * root.state.data.zoom))}px`;
  if (stage.style.height !== height) stage.style.height = height;
  root.state.room = measureRoom(root.state);
}
