// Helpers put in front of a component's own module: the theme that the page really has, and readable text colours.

/** Relative luminance (WCAG) of "#rgb", "#rrggbb" or "rgb(r, g, b)"; 1 (white) for anything else. */
function luminance(color) {
  const text = color.trim();
  let parts;
  if (text.startsWith("#")) {
    const hex = text.length < 7 ? [...text.slice(1)].map((digit) => digit + digit).join("") : text.slice(1);
    parts = [0, 2, 4].map((start) => parseInt(hex.slice(start, start + 2), 16));
  } else {
    parts = (text.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);
  }
  if (parts.length < 3 || parts.some(Number.isNaN)) return 1;
  const [r, g, b] = parts.map((part) => {
    const unit = part / 255;
    return unit <= 0.04045 ? unit / 12.92 : ((unit + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** The value of a custom property of the theme, which Streamlit sets on an element around the component. */
function themeValue(element, name) {
  return getComputedStyle(element).getPropertyValue(name).trim();
}

/** Is the page dark now? Python cannot know, because a change of theme causes no rerun. */
function isDark(element) {
  return luminance(themeValue(element, "--st-background-color")) < 0.18;
}

/** Near-black or white, whichever has more contrast with the colour. */
function readableOn(color) {
  const light = luminance(color);
  return 1.05 / (light + 0.05) >= (light + 0.05) / 0.055 ? "#ffffff" : "#0b1114";
}
