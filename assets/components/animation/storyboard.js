// The storyboard of an animation: some of its pictures below each other. Comes before animation.js, after figure.js
// and element.js.

/** The traces of a frame and a copy of its layout. */
function figure(root, frame) {
  const { traces, shapes, layouts } = root.state.film;
  return [frame.traces.map((i) => traces[i]), { ...layouts[frame.layout], shapes: frame.shapes.map((i) => shapes[i]) }];
}

/** Draw some pictures of each scene with their captions, for paper and for readers who want no motion. */
function tellStory(root, printing = matchMedia("print").matches) {
  const { state } = root;
  const { nodes, film, data } = state;
  root.classList.toggle("pkl-still", isStill());
  clearStory(root);
  if (!film || (!isStill() && !printing)) return;
  // On the screen the scenes that the last answer has opened; on paper all.
  const stills = film.frames.filter((frame) => frame.still && (printing || frame.scene >= data.opened));
  const details = element("details", "", nodes.story, { open: "" });
  element("summary", "", details).textContent = data.words.story;
  const list = element("ol", "", details, { role: "list" });
  const places = stills.map((frame) => {
    const item = element("li", "", list);
    element("p", "pkl-scene", item).textContent = film.scenes[frame.scene - 1].name;
    element("p", "pkl-caption", item).textContent = frame.caption;
    return element("div", "", item, { role: "img", "aria-label": frame.label });
  });
  const drawAll = (Plotly) => {
    if (state.dead) return;
    places.forEach((node, i) => {
      if (!node.isConnected) return;
      const [traces, layout] = figure(root, stills[i]);
      const meta = layout.meta ?? {};
      const room = Math.max(meta.min_width ?? 320, Math.min(state.width || 640, meta.max_width ?? 1100));
      Plotly.newPlot(node, traces, { ...layout, autosize: false, width: room }, { ...CONFIG, staticPlot: true });
    });
  };
  // Draw at once if Plotly is loaded, since printing does not wait.
  if (window.Plotly) drawAll(window.Plotly);
  else loadPlotly(data.url).then(drawAll, () => {});
}

function clearStory(root) {
  const { story } = root.state.nodes;
  if (window.Plotly) for (const node of story.querySelectorAll('[role="img"]')) window.Plotly.purge(node);
  story.replaceChildren();
}
