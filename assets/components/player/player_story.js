// The storyboard: some of a film's pictures below each other. Comes before player.js, after player_film.js.

/** Draw stills with their captions, for paper and for readers who want no motion. */
function tellStory(root, printing = matchMedia("print").matches) {
  const { state } = root;
  const { nodes, film, data } = state;
  root.classList.toggle("pkl-still", isStill());
  clearStory(root);
  if (!film || (!isStill() && !printing)) return;
  // On the screen the scenes that the last answer has opened; on paper all. Nothing ahead of a question.
  const told = data.tells_ahead ? film.places : film.places.slice(0, film.places.indexOf(state.shown) + 1);
  const stills = told.filter((at) => film.frames[at]?.still && (printing || groupOf(at) >= data.opened));
  const details = element("details", "", nodes.story);
  details.open = printing || data.story_open;
  element("summary", "", details).textContent = data.words.story;
  const list = element("ol", "", details, { role: "list" });
  const boxes = stills.flatMap((at) => {
    const frame = film.frames[at];
    const { title, headline, sentence, figures } = frame;
    const item = element("li", "", list);
    for (const text of [title, headline].filter(Boolean)) element("p", "pkl-scene", item).textContent = text;
    element("p", "pkl-caption", item).textContent = sentence;
    return Object.values(figures).map((figure) => [frame, figure, element("div", "", item, { role: "img", "aria-label": figure.label })]);
  });
  const drawAll = (Plotly) => {
    if (state.dead || !details.open) return;
    for (const [frame, figure, node] of boxes) {
      if (!node.isConnected || node.data) continue;
      const { traces, layout } = figureOf(frame, figure);
      const meta = layout.meta ?? {};
      const room = Math.max(meta.min_width ?? 320, Math.min(nodes.stage.clientWidth || 640, meta.max_width ?? 1100));
      const still = { ...layout, autosize: false, width: room };
      Plotly.newPlot(node, traces, still, { ...CONFIG, staticPlot: true });
    }
  };
  const draw = () => {
    // At once if Plotly is loaded, since printing does not wait.
    if (window.Plotly) drawAll(window.Plotly);
    else loadPlotly(data.url).then(drawAll, () => {});
  };
  details.addEventListener("toggle", draw);
  draw();
}

function clearStory(root) {
  const { story } = root.state.nodes;
  if (window.Plotly) for (const node of story.querySelectorAll('[role="img"]')) window.Plotly.purge(node);
  story.replaceChildren();
}
