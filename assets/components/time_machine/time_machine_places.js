// Places in a log: "3" is after the third operation, "3.2" after the second event inside it. Comes before
// time_machine.js.

const NAMES = ["first", "back", "event_back", "play", "event_forward", "forward", "last"];
const ICONS = {
  first: "M4 5v14M12.5 6v12L6.5 12zM20.5 6v12L14.5 12z",
  back: "M18.5 5v14M14 5v14L5 12z",
  event_back: "M14 6l-6 6 6 6",
  play: "M8 5v14l11-7z",
  pause: "M8 5v14M16 5v14",
  event_forward: "M10 6l6 6-6 6",
  forward: "M5.5 5v14M10 5v14l9-7z",
  last: "M20 5v14M3.5 6v12l6-6zM11.5 6v12l6-6z",
};

/** Parse a place as the address has it. */
function read(text) {
  const [step, event = 0] = text.split(".").map(Number);
  return { step, event };
}

const write = ({ step, event }) => (event ? `${step}.${event}` : `${step}`);
const same = (one, other) => one.step === other.step && one.event === other.event;

/** The place that a button leads to; null if there is none. */
function target(name, { step, event }, rows) {
  const [into, seen] = event ? [step, event] : [step + 1, 0]; // the step of the next event
  const shown = step && (event || rows[step - 1].events);
  const to = {
    first: { step: 0, event: 0 },
    back: { step: step - 1, event: 0 }, // from inside a step, to before it
    event_back: shown > 1 ? { step, event: shown - 1 } : { step: step - 1, event: 0 },
    event_forward: { step: into, event: seen + 1 < rows[into - 1]?.events ? seen + 1 : 0 },
    forward: { step: into, event: 0 },
    last: { step: rows.length, event: 0 },
  }[name];
  return to.step < 0 || to.step > rows.length || same(to, { step, event }) ? null : to;
}

/** The place as text. */
function position({ step, event }, { rows, words }) {
  const values = { step, event, total: rows.length, operation: rows[step - 1]?.name, events: rows[step - 1]?.events };
  const sentence = !step ? words.position_start : event ? words.position_event : words.position;
  return sentence.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

/** The picture on a button. */
function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const attributes = { viewBox: "0 0 24 24", "aria-hidden": "true", class: name.startsWith("event") ? "pkl-thin" : "" };
  for (const [key, value] of Object.entries(attributes)) svg.setAttribute(key, value);
  svg.append(document.createElementNS("http://www.w3.org/2000/svg", "path"));
  svg.firstChild.setAttribute("d", ICONS[name]);
  return svg;
}
