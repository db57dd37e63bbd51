// Announces changes to screen readers, moves the focus, and scrolls a new page to its top. Comes after after_run.js,
// element.js and focus.js.

// Invisible but not hidden from screen readers, and without the gap that an empty element would take up.
const UNSEEN = { position: "absolute", width: "1px", height: "1px", overflow: "hidden", clipPath: "inset(50%)" };

/** The texts are also visible on the page. The shadow root keeps a search on the page from finding them twice. */
function build(parentElement) {
  const box = element("div", "pkl-aloud", parentElement);
  box.said = element("div", "", box.attachShadow({ mode: "closed" }), { role: "status", "aria-atomic": "false" });
  return box;
}

/** All pages share one scrolling element, and Streamlit leaves its position as it was. */
function scrollToTop(page) {
  const before = document.documentElement.pklPage;
  document.documentElement.pklPage = page;
  if (before !== undefined && before !== page) document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0);
}

export default function ({ data, parentElement }) {
  Object.assign(parentElement.closest('[data-testid="stElementContainer"]').style, UNSEEN);
  scrollToTop(data.page);
  const { said } = parentElement.querySelector(":scope > .pkl-aloud") ?? build(parentElement);
  // Announce nothing as a page opens: a screen reader then reads from the top.
  if (said.page !== data.page) {
    said.setAttribute("aria-live", "off");
    afterRun(() => said.setAttribute("aria-live", "polite"));
    said.moved = {};
  }
  said.page = data.page;
  // Change only the lines that differ, so that only these are announced.
  data.texts.forEach((text, i) => {
    const line = said.children[i] ?? element("p", "", said);
    if (line.textContent !== text) line.textContent = text;
  });
  while (said.children.length > data.texts.length) said.lastChild.remove();
  for (const [key, wanted] of Object.entries(data.focus)) moveFocus(said.moved[key], wanted);
  said.moved = data.focus;
}
