// Draws what a player shows: figures, texts, buttons. Comes before player.js, after the other parts.

/** Show the place with this index. `how`: "step" is announced; "play" and "slider" are not, since a voice would lag. */
function show(root, index, how = "") {
  const { state } = root;
  const { nodes, data, film } = state;
  const moved = state.shown !== state.places[index];
  state.index = index;
  state.shown = placeOf(root);
  if (data.alone) data.at = state.shown; // in a file: nobody is told
  const frame = film.frames[state.shown];
  // The texts of a picture that is on its way are those of the one before.
  if (moved) for (const name of LIVE) nodes[name].setAttribute("aria-live", how === "step" ? "polite" : "off");
  const [where, brief] = data.by_event ? position(root) : ["", ""];
  setText(nodes.position.firstChild, where);
  setText(nodes.position.lastChild, brief);
  if (frame) {
    for (const name of ["title", "headline", "sentence"]) setText(nodes[name], frame[name] ?? "");
    setText(nodes.cue, isAtEnd(root) ? (data.words.cue ?? "") : "");
    if (how && moved && !data.by_event && !isStill()) {
      nodes.sentence.animate?.([{ opacity: 0.3 }, { opacity: 1 }], { duration: 180 });
    }
    drawFigures(root, frame);
  }
  root.toggleAttribute("aria-busy", !frame);
  nodes.slider.max = String(state.places.length - 1);
  nodes.slider.value = String(index);
  nodes.slider.setAttribute("aria-valuetext", data.by_event ? where : `${frame?.title ?? ""}. ${frame?.sentence ?? ""}`);
  for (const name of NAMES) {
    setDisabled(nodes[name], name === "play" ? state.places.length < 2 : target(root, name) < 0);
  }
  drawJumps(root);
  const at = { step: groupOf(state.shown), inside: isInside(root, state.shown) };
  if (data.list) markList(nodes.list, at, data.words, { moved, follow: how === "step" });
  dispatchEvent(new Event("pkl-place"));
  if (!frame && !state.delivery.sent) report(root, 0);
}

const LIVE = ["headline", "sentence", "position"];

/** Draw each figure of the frame in its box, unless it shows it already. */
function drawFigures(root, frame) {
  const { state } = root;
  const { film, data, boxes, version } = state;
  const names = Object.keys(frame.figures);
  const shown = names.map((name) => [name, data.titles?.[name]]).join();
  if (shown !== state.titles) Object.assign(state, { titles: shown, room: null });
  for (const [name, box] of boxes) box.parentElement.hidden = !names.includes(name);
  for (const [name, figure] of Object.entries(frame.figures)) {
    const box = boxes.get(name) ?? buildBox(root, name);
    setText(box.parentElement.firstChild, data.titles?.[name] ?? "");
    const drawn = `${figure.id} ${state.colors} ${data.largest} ${state.nodes.stage.style.height}`;
    const scale = (room) => scaleOf(root, room);
    // One figure measures for all: two that fit different numbers of columns would ask in turn for ever.
    const wants_columns = data.wants_columns && name === names[0];
    const about = { ...data, label: figure.label, version, scale, wants_columns };
    if (box.drawn === drawn) describeFigure(box, about);
    else showFigure(box, figureOf(frame, figure), about);
    box.drawn = drawn;
  }
  if (fills(root)) return void (state.nodes.stage.style.minHeight = ""); // see fitStage
  const { by } = [...boxes.values()][0].state;
  const beside = film.places.filter((at) => film.frames[at] && (data.by_event || groupOf(at) === groupOf(state.shown)));
  const heights = beside.flatMap((at) => {
    const { figures, chunk } = film.frames[at];
    return Object.values(figures).map(({ layout }) => heightOf(chunk.layouts[layout]));
  });
  state.nodes.stage.style.minHeight = `${by * Math.max(...heights)}px`; // so that what is below it does not jump
}

function buildBox(root, name) {
  const { state } = root;
  const part = element("div", "pkl-figure", state.nodes.stage, { "data-name": name });
  element("p", "pkl-figure-title", part);
  const box = buildFigure(part, (what, value) => {
    flush(root); // a click is meant for what is in view
    if (state.delivery.sent) afterRun(() => state.send(what, value));
    else state.send(what, value);
  });
  state.boxes.set(name, box);
  box.state.observer.observe(state.nodes.stage); // its height, when presented
  return box;
}

/** Not the disabled attribute: the button would lose the focus while the learner steps with the keyboard. */
function setDisabled(button, disabled) {
  if (disabled) button.setAttribute("aria-disabled", "true");
  else button.removeAttribute("aria-disabled");
}

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// ------------------------------------------------------------------ buttons

function drawPlay(root) {
  const { nodes, data, playing } = root.state;
  const name = playing ? "pause" : "play";
  setText(nodes.playWord, data.words[name]);
  nodes.play.title = data.words[name];
  nodes.play.querySelector("path").setAttribute("d", ICONS[name]);
}

/** Mark the jump that led to the place in view. */
function drawJumps(root) {
  const { nodes, data, index, places } = root.state;
  const current = data.jumps.findLastIndex(({ at }) => at && places.indexOf(at) <= index);
  data.jumps.forEach((_, i) => {
    const button = nodes.jumps.children[i].firstChild;
    if (i === current) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
  });
}

/** Label the buttons, the speeds and the jumps. A jump without a place is closed. */
function label(root) {
  const { nodes, data } = root.state;
  const { words } = data;
  root.setAttribute("aria-label", words.label);
  root.style.setProperty("--pkl-on-primary", readableOn(themeValue(root, "--st-primary-color") || "#0b5563"));
  root.classList.toggle("pkl-film", !data.by_event);
  root.classList.toggle("pkl-stacked", data.stacked);
  for (const name of [...NAMES, "speed", "slider", "jumps", "list", "keys"]) nodes[name].hidden = !data.controls.includes(name);
  nodes.controls.hidden = data.controls.length === 0;
  nodes.position.hidden = !data.by_event;
  for (const name of NAMES.filter((each) => each !== "play")) {
    nodes[name].setAttribute("aria-label", words[name] ?? "");
    nodes[name].title = words[name] ?? "";
  }
  nodes.speed.setAttribute("aria-label", words.speed);
  data.speeds.forEach(([value, text], i) => {
    if (nodes.speed.options[i]) setText(nodes.speed.options[i], text);
    else nodes.speed.append(new Option(text, value, value === "1", value === "1"));
  });
  nodes.slider.setAttribute("aria-label", words.slider);
  nodes.jumps.setAttribute("aria-label", words.jumps ?? "");
  while (nodes.jumps.children.length > data.jumps.length) nodes.jumps.lastChild.remove();
  while (nodes.jumps.children.length < data.jumps.length) {
    const i = nodes.jumps.children.length;
    element("button", "pkl-button", element("li", "", nodes.jumps), { type: "button" }).addEventListener("click", () => {
      const { at } = root.state.data.jumps[i];
      if (at) go(root, at);
    });
  }
  data.jumps.forEach(({ name, label: text, at }, i) => {
    const button = nodes.jumps.children[i].firstChild;
    setText(button, name);
    button.setAttribute("aria-label", text);
    button.title = text;
    setDisabled(button, !at);
  });
  setText(nodes.keys, words.keys ?? "");
  drawPlay(root);
}
