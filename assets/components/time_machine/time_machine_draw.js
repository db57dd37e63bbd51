// Draws time travel's buttons and texts. Comes before time_machine.js, after the others.

/** Draw the wanted place. `how`: "step" is announced; "play" is not, since a voice would lag behind. */
function draw(root, how) {
  const { nodes, data, want, shown } = root.state;
  const moved = write(want) !== shown;
  root.state.shown = write(want);
  if (moved) nodes.position.setAttribute("aria-live", how === "step" ? "polite" : "off");
  const text = position(want, data);
  if (nodes.position.textContent !== text) nodes.position.textContent = text;
  for (const name of NAMES) {
    // Not the disabled attribute: the button would lose the focus while the learner steps with the keyboard.
    const possible = name === "play" ? data.rows.length : target(name, want, data.rows);
    if (possible) nodes[name].removeAttribute("aria-disabled");
    else nodes[name].setAttribute("aria-disabled", "true");
  }
  nodes.list.hidden = nodes.keys.hidden = !data.rows.length;
  markList(nodes.list, want, data.words, { moved, follow: how === "step" });
}

function drawPlay(root) {
  const { nodes, data, playing } = root.state;
  const name = playing ? "pause" : "play";
  nodes.playWord.textContent = data.words[name];
  nodes.play.title = data.words[name];
  nodes.play.querySelector("path").setAttribute("d", ICONS[name]);
}

/** Label the buttons and the speeds. */
function label(root) {
  const { nodes, data } = root.state;
  const { words, speeds } = data;
  root.setAttribute("aria-label", words.label);
  root.style.setProperty("--pkl-on-primary", readableOn(themeValue(root, "--st-primary-color") || "#0b5563"));
  for (const name of NAMES.filter((each) => each !== "play")) {
    nodes[name].setAttribute("aria-label", words[name]);
    nodes[name].title = words[name];
  }
  nodes.speed.setAttribute("aria-label", words.speed);
  speeds.forEach(([value, text], i) => {
    if (nodes.speed.options[i]) nodes.speed.options[i].textContent = text;
    else nodes.speed.append(new Option(text, value, value === "1", value === "1"));
  });
  nodes.keys.textContent = words.keys;
  fillList(nodes.list, data.rows, words);
}
