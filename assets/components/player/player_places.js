// Places in a run: "3" is after the third operation, "3.2" after the second event inside it; in a film "3.2" is the second
// picture of the third scene. Comes before player.js, after element.js.

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

const placeOf = (root) => root.state.places[root.state.index];
const isAtEnd = ({ state }) => state.index === state.places.length - 1;
const groupOf = (place) => parseInt(place, 10);
const isInside = (root, place) => root.state.data.by_event && place.includes(".");

/** The index of the place that a button leads to; -1 if there is none. */
function target(root, name) {
  const { index, places } = root.state;
  const isWhole = (place) => !isInside(root, place) && !root.state.rows[Number(place) - 1]?.inside;
  const to = {
    first: 0,
    back: places.slice(0, index).findLastIndex(isWhole), // from inside a step, to before it
    event_back: index - 1,
    event_forward: index + 1 < places.length ? index + 1 : -1,
    forward: places.findIndex((place, i) => i > index && isWhole(place)),
    last: places.length - 1,
  }[name];
  return to === index ? -1 : to;
}

/** The place as text, and in short. */
function position(root) {
  const { data, index, places, rows } = root.state;
  const place = places[index];
  const [step, event] = place.split(".").map(Number);
  const row = rows[step - 1];
  const values = { step, event, total: rows.length, operation: row?.name, events: row?.events };
  const sentence = !step ? data.words.position_start : event ? data.words.position_event : data.words.position;
  const filled = sentence.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
  return [filled, `${place} / ${rows.length}`];
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
