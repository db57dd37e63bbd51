// Saves a figure as an SVG file, in the colours of a white page. Comes after colors.js and figure.js.

const WIDTH = 860; // pixels, if the figure has no width
const PREFIX = /^data:image\/svg\+xml(;[^,]*)?,/;

async function save({ figure, height, url, file_name }) {
  const Plotly = await loadPlotly(url);
  const { data, layout } = JSON.parse(figure);
  const width = layout.meta?.max_width ?? WIDTH;
  const image = await Plotly.toImage({ data, layout }, { format: "svg", width, height });
  const text = decodeURIComponent(image.replace(PREFIX, ""));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  link.download = file_name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function build(parentElement) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "pkl-button pkl-svg";
  parentElement.append(button);
  button.addEventListener("click", () => save(button.data).catch((error) => console.warn(error)));
  return button;
}

export default function ({ data, parentElement }) {
  const button = parentElement.querySelector(":scope > .pkl-svg") ?? build(parentElement);
  button.data = data;
  button.textContent = data.label;
}
