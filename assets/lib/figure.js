// Helpers put in front of a component's own module: they load plotly.js and draw figures in the page's colours.
// Comes after colors.js.

const CONFIG = {
  displayModeBar: false,
  displaylogo: false,
  scrollZoom: false,
  doubleClick: false,
  showTips: false,
  responsive: false, // a ResizeObserver does it, also in hidden tabs
};
const WIDE_FROM = 560; // pixels needed for 8 columns, unless the figure says otherwise

/** Load plotly.js once for all figures of the page. After a failure the next call tries again. */
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

/**
 * Draw a figure in its node, in place of the one before. Plotly removes the text element of an empty label and does not
 * create it again when the label gets a text later: so an empty label becomes a space.
 */
function redraw(Plotly, node, traces, layout) {
  const filled = traces.map((trace) =>
    trace.type === "scatter" && Array.isArray(trace.text)
      ? { ...trace, text: trace.text.map((label) => label || "\u00a0") }
      : trace,
  );
  return Plotly.react(node, filled, layout, CONFIG);
}

/**
 * A reviver for JSON.parse that swaps the figure's light colours: for a projector's (`contrast`) if the page is
 * presented, else for the dark ones if the page is dark.
 */
function themed(element, darkColors, contrast) {
  const swap = contrast ?? (isDark(element) ? darkColors : {});
  const colors = new Map(Object.entries(swap).map(([light, other]) => [light.toLowerCase(), other]));
  return (key, value) => (typeof value === "string" ? (colors.get(value.toLowerCase()) ?? value) : value);
}

/** Turn off zoom and drag but not clicks, and set the page's font. Changes and returns `layout`. */
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

/** Does the reader want reduced motion? */
function isStill() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** How many columns fit in this width. `wideFrom`: the pixels that the figure needs for 8 columns. */
function columnsFor(width, wideFrom = WIDE_FROM) {
  return width < wideFrom ? 4 : 8;
}

// ------------------------------------------------------------------ enlarged for a projector

const TALLEST = 0.75; // of the window's height
const GROWS = { line: ["width"], margin: ["l", "r", "t", "b", "pad"], meta: ["min_width", "max_width"] };
const GROWS_ANYWHERE = new Set(["size", "standoff", "xshift", "yshift"]);

/**
 * The scale of a figure: as large as the room and the window allow, at most `largest`, which is 1 if unset.
 * `tallest`: the part of the window's height that the figure may take.
 */
function enlargement(layout, room, largest = 1, tallest = TALLEST) {
  if (!(largest > 1) || !room) return 1;
  // A figure that is drawn in pixels has its width in its x axis.
  const wide = layout.xaxis?.visible === false ? layout.xaxis.range[1] : (layout.meta?.max_width ?? 700);
  return Math.max(1, Math.min(largest, room / wide, (tallest * window.innerHeight) / layout.height));
}

/** A copy of traces or of a layout with every length in pixels multiplied by `by`. */
function enlarged(part, by, name = "") {
  if (by === 1 || part === null || typeof part !== "object") return part;
  if (Array.isArray(part)) return part.map((each) => enlarged(each, by, name));
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => {
      const grows = GROWS_ANYWHERE.has(key) || GROWS[name]?.includes(key);
      if (grows) return [key, Array.isArray(value) ? value.map((each) => each * by) : value * by];
      if (key === "dash" && /px/.test(value)) return [key, value.replace(/[\d.]+/g, (length) => length * by)];
      return [key, Array.isArray(value) && typeof value[0] !== "object" ? value : enlarged(value, by, key)];
    }),
  );
}
