// Opens and closes the page's tools on a narrow screen. A class of <html> holds the state, because Streamlit may
// replace the tools. Comes after element.js.

const OPEN = "pkl-tools-open";

function setOpen(button, open) {
  document.documentElement.classList.toggle(OPEN, open);
  button.setAttribute("aria-expanded", String(open));
}

function build(parentElement) {
  const button = element("button", "pkl-button pkl-tools-menu", parentElement, { type: "button", "aria-expanded": "false" });
  const isOpen = () => button.getAttribute("aria-expanded") === "true";
  const outside = ({ target }) => !button.contains(target) && !target.closest(".st-key-tools");
  button.listen = {
    click: (event) => isOpen() && outside(event) && setOpen(button, false),
    keydown: (event) => {
      if (event.key !== "Escape" || !isOpen()) return;
      setOpen(button, false);
      button.focus();
    },
  };
  button.addEventListener("click", () => setOpen(button, !isOpen()));
  for (const [type, listener] of Object.entries(button.listen)) addEventListener(type, listener);
  return button;
}

export default function ({ data, parentElement }) {
  const button = parentElement.querySelector(":scope > .pkl-tools-menu") ?? build(parentElement);
  button.textContent = data.label;
  if (button.page !== data.page) setOpen(button, false);
  button.page = data.page;
  const mine = (button.calls = (button.calls ?? 0) + 1);
  return () => {
    if (mine !== button.calls) return;
    for (const [type, listener] of Object.entries(button.listen)) removeEventListener(type, listener);
    setOpen(button, false);
    button.remove();
  };
}
