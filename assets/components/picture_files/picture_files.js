// Saves what the page's player shows as pictures: the one in view as SVG or PNG, all steps as numbered PNGs in one file.
// Comes after colors.js, after_run.js, element.js, figure.js, live_figure.js, player_film.js and zip.js.

const SCALE = 2; // pixels of a PNG for one of the figure
const SVG_PREFIX = /^data:image\/svg\+xml(;[^,]*)?,/;

const encode = (text) => new TextEncoder().encode(text);

/** A figure of a frame as the bytes of a file, on the page's own background. */
async function draw(root, frame, figure, format) {
  const { traces, layout } = figureOf(frame, figure);
  const { meta = {}, xaxis } = layout;
  const width = Math.max(meta.min_width ?? 320, Math.min(xaxis?.range?.[1] ?? 1040, meta.max_width ?? 1040));
  const paper = themeValue(root, "--st-background-color") || "#ffffff";
  const whole = { ...layout, autosize: false, paper_bgcolor: paper, plot_bgcolor: paper };
  const size = { width, height: heightOf(layout) };
  const address = await window.Plotly.toImage({ data: traces, layout: whole }, { format: "svg", ...size });
  const text = decodeURIComponent(address.replace(SVG_PREFIX, ""));
  return format === "svg" ? encode(text) : rasterize(text, size);
}

/** An SVG as a PNG. Plotly would take a blob's address for it, which the page's policy refuses. */
async function rasterize(svg, { width, height }) {
  const image = new Image(width * SCALE, height * SCALE);
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: width * SCALE, height: height * SCALE });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  return new Uint8Array(await blob.arrayBuffer());
}

/** The files of a place: one, or one for each of two engines. */
async function drawPlace(root, at, format) {
  const { film, rows, data } = root.state;
  const frame = film.frames[at];
  const step = String(groupOf(at)).padStart(String(rows.length).length, "0");
  const figures = Object.entries(frame.figures);
  const files = [];
  for (const [name, figure] of figures) {
    const engine = figures.length > 1 ? `-${(data.titles?.[name] ?? name).replace(/[^\w.-]+/g, "_")}` : "";
    files.push({ name: `${step}${engine}.${format}`, bytes: await draw(root, frame, figure, format) });
  }
  return files;
}

function download(name, bytes, type) {
  const link = element("a", "");
  link.href = URL.createObjectURL(new Blob([bytes], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

async function save(box, kind) {
  const { root } = window.pagedKvLabPlayer;
  const { name, words } = box.data;
  if (kind !== "all") {
    const type = { svg: "image/svg+xml", png: "image/png" }[kind];
    for (const file of await drawPlace(root, placeOf(root), kind)) download(`${name}-${file.name}`, file.bytes, type);
    return;
  }
  const places = root.state.places.filter((at) => !isInside(root, at));
  const drawn = places.filter((at) => root.state.film.frames[at]);
  const files = [];
  for (const at of drawn) {
    box.said.textContent = words.drawing.replace("{done}", drawn.indexOf(at) + 1).replace("{total}", drawn.length);
    files.push(...(await drawPlace(root, at, "png")));
  }
  const texts = drawn.map((at) => `${groupOf(at)}. ${root.state.film.frames[at].sentence}`).join("\n");
  files.push({ name: "words.txt", bytes: encode(`${texts}\n`) });
  download(`${name}.zip`, zip(files), "application/zip");
  const missing = places.length - drawn.length;
  box.said.textContent = missing ? words.missing.replace("{missing}", missing) : words.done.replace("{total}", drawn.length);
}

function build(parentElement) {
  const box = element("div", "pkl-pictures", parentElement);
  for (const kind of ["svg", "png", "all"]) {
    const button = element("button", "pkl-button", box, { type: "button", "data-kind": kind });
    button.addEventListener("click", () => save(box, kind).catch((error) => console.warn(error)));
  }
  box.said = element("p", "", box, { role: "status" });
  return box;
}

export default function ({ data, parentElement }) {
  const box = parentElement.querySelector(":scope > .pkl-pictures") ?? build(parentElement);
  box.data = data;
  for (const button of box.querySelectorAll("button")) button.textContent = data.words[button.dataset.kind];
}
