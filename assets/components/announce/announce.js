// Says changes to those who do not see them. Comes after after_run.js and element.js.

// Out of sight without being hidden, and out of the way: an empty element would still take the gap between two.
const UNSEEN = { position: "absolute", width: "1px", height: "1px", overflow: "hidden", clipPath: "inset(50%)" };

/** The words stand on the page already. In a shadow, whoever looks for them on the page finds them once. */
function build(parentElement) {
  const box = element("div", "pkl-aloud", parentElement);
  box.said = element("div", "", box.attachShadow({ mode: "closed" }), { role: "status", "aria-atomic": "false" });
  return box;
}

export default function ({ data, parentElement }) {
  Object.assign(parentElement.closest('[data-testid="stElementContainer"]').style, UNSEEN);
  const { said } = parentElement.querySelector(":scope > .pkl-aloud") ?? build(parentElement);
  // A page that opens says nothing by itself: there one reads from the top.
  if (said.page !== data.page) {
    said.setAttribute("aria-live", "off");
    afterRun(() => said.setAttribute("aria-live", "polite"));
  }
  said.page = data.page;
  // Only what differs is touched, so that only that is said.
  data.texts.forEach((text, i) => {
    const line = said.children[i] ?? element("p", "", said);
    if (line.textContent !== text) line.textContent = text;
  });
  while (said.children.length > data.texts.length) said.lastChild.remove();
}
