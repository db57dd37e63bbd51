// A live Plotly figure. Comes after colors.js, after_run.js, figure.js and live_figure.js.

export default function ({ data, parentElement, setTriggerValue }) {
  const box =
    parentElement.querySelector(":scope > .pkl-plot") ?? buildFigure(parentElement, (...sent) => box.send(...sent));
  box.send = setTriggerValue; // always the newest
  const { data: traces = [], layout = {} } = JSON.parse(data.figure, themed(box, data.dark_colors, data.contrast));
  showFigure(box, { traces, layout }, { ...data, version: data });
  const mine = (box.calls = (box.calls ?? 0) + 1);
  return () => {
    // Streamlit also runs the clean-up of an older call when a newer one has come; the node is then still in use.
    if (mine === box.calls) dropFigure(box);
  };
}
