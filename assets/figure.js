// Helpers put in front of a component's own module: plotly.js itself, and a figure in the colours of the page's theme.
// Comes after colors.js.

const CONFIG = {
  displayModeBar: false,
  displaylogo: false,
  scrollZoom: false,
  doubleClick: false,
  showTips: false,
  responsive: false, // a ResizeObserver does it, for hidden tabs too
};
const WIDE_FROM = 560; // pixels for 8 columns, where a figure does not say

/** plotly.js, loaded once for all figures of the page; a failed load may be tried again. */
function loadPlotly(url) {
  window.pagedKvLabPlotly ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = url;
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => {
      script.remove();
      window.pagedKvLabPlotly = undefined;
      reject(new Error(`cannot load ${url}`));
    };
    document.head.append(script);
  });
  return window.pagedKvLabPlotly;
}

/** What JSON.parse needs to give light colours their dark ones, where the page is dark. */
function themed(element, darkColors) {
  const colors = new Map(Object.entries(darkColors).map(([light, dark]) => [light.toLowerCase(), dark]));
  const dark = isDark(element);
  return (key, value) => (dark && typeof value === "string" ? (colors.get(value.toLowerCase()) ?? value) : value);
}

/** A layout fixed in place except for clicks, in the page's font. Changes and returns `layout`. */
function settle(element, layout) {
  for (const axis of ["xaxis", "yaxis", ...Object.keys(layout).filter((name) => /^[xy]axis\d+$/.test(name))]) {
    layout[axis] = { ...layout[axis], fixedrange: true };
  }
  Object.assign(layout, {
    autosize: true,
    dragmode: false,
    clickmode: "event",
    hovermode: layout.hovermode || "closest", // without hover Plotly reports no clicks
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: themeValue(element, "--st-font") || "sans-serif", ...layout.font },
    legend: { ...layout.legend, itemclick: false, itemdoubleclick: false },
  });
  delete layout.width; // the node decides
  if (isStill()) delete layout.transition;
  return layout;
}

/** Whether the reader asked for less motion. */
function isStill() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** How many columns the width has room for; `wideFrom`: what the figure says about it, if it does. */
function columnsFor(width, wideFrom = WIDE_FROM) {
  return width < wideFrom ? 4 : 8;
}
