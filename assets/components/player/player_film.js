// The frames of a run, as the server sends them: parts that several figures share are in the film once. Comes before
// player.js, after colors.js and figure.js. See encode_film in lessons/widgets/player.py.

/** Read the film in the page's colours. Returns whether anything has changed. */
function readFilm(root, text) {
  const { state } = root;
  const { dark_colors, contrast } = state.data;
  const colors = contrast ? JSON.stringify(contrast) : String(isDark(root));
  if (state.film && state.text === text && state.colors === colors) return false;
  const film = JSON.parse(text, themed(root, dark_colors, contrast));
  film.layouts = film.layouts.map((layout) => unpack(film, layout));
  Object.assign(state, { film, text, colors });
  return true;
}

/** A trace or a layout: `v` values, `p` values in the pool, `a` lists of values in the pool. */
function unpack({ pool }, { v, p, a }) {
  const whole = { ...v };
  for (const [name, i] of Object.entries(p ?? {})) whole[name] = pool[i];
  for (const [name, list] of Object.entries(a ?? {})) whole[name] = list.map((i) => pool[i]);
  return whole;
}

/** A figure of a frame, new each time: Plotly fills in what it draws. */
function figureOf(film, { traces, layout }) {
  return { traces: traces.map((i) => unpack(film, film.traces[i])), layout: { ...film.layouts[layout] } };
}

/** The scale of the figures: the same for all, so that nothing jumps. */
function scaleOf(root, room) {
  const { film, data } = root.state;
  return Math.min(...film.layouts.map((layout) => enlargement(layout, room, data.largest, UNDER_WORDS)));
}
