// The frames of a run. The server sends them in chunks, a chunk once: parts that several figures share are in it once.
// Comes before player.js, after colors.js and figure.js. See lessons/widgets/player.py.

const MOST_CHUNKS = 200;
const chunks = (window.pagedKvLabChunks ??= new Map()); // id -> text, the newest last

/**
 * Read the film in the page's colours. Returns whether anything has changed; null if the server takes a chunk for known
 * that this window does not have. `ahead`: of the operation under way.
 */
function readFilm(root, { places, chunks: ids, more, texts }, ahead = null) {
  const { state } = root;
  const { dark_colors, contrast } = state.data;
  const colors = contrast ? JSON.stringify(contrast) : String(isDark(root));
  for (const [id, text] of Object.entries(texts)) keepChunk(id, text);
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

/** What came ahead for the operation that is suggested now; null if nothing did. */
function findAhead(root) {
  const ahead = window.pagedKvLabAhead;
  if (!ahead || ahead.before !== root.state.data.log) return null;
  if (ahead.text) keepChunk(ahead.chunk, ahead.text);
  return chunks.has(ahead.chunk) ? ahead : null;
}

/** Read what came ahead when nothing else is to be done, so that a press finds it ready. */
function expect(root) {
  setTimeout(() => {
    const { state } = root;
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

/** The scale of a film's figures: the same for all, so that nothing jumps. */
function scaleOf(root, room) {
  const { film, data } = root.state;
  return Math.min(...film.layouts.map((layout) => enlargement(layout, room, data.largest, UNDER_WORDS)));
}
