// Copies the address of the page as it is now. Comes after element.js.

const SHOWN_MS = 4000;
const CLOSES = ["pointerdown", "keydown"];

async function copy(text) {
  if (navigator.clipboard?.writeText) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Refused, or a page without https: execCommand may still work.
    }
  }
  const area = document.createElement("textarea");
  area.value = text;
  area.readOnly = true;
  area.style.cssText = "position:fixed;top:0;left:0;opacity:0";
  const before = document.activeElement;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  before?.focus();
  return done;
}

function address({ params, only }) {
  const url = new URL(location.href);
  if (only) url.search = "";
  // The link's recipient is not the presenter, and does not lead the class.
  for (const name of ["present", "window"]) url.searchParams.delete(name);
  url.hash = "";
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  return url.href;
}

/** After a copy, say that the address works on this computer only, and offer the addresses for other devices. */
function tellOnlyHere(box) {
  const { here } = box.data;
  if (!here) return;
  element("span", "", box.more).textContent = here.said;
  box.more.classList.remove("pkl-to-left");
  // Only after the message, which can move the button to the next line.
  requestAnimationFrame(() => {
    const { right } = box.more.getBoundingClientRect();
    box.more.classList.toggle("pkl-to-left", right > document.documentElement.clientWidth);
  });
  for (const { host, label } of here.others) {
    const button = element("button", "pkl-button", box.more, { type: "button" });
    button.textContent = label;
    button.addEventListener("click", () => {
      const there = new URL(address(box.data));
      there.host = host;
      copyAndTell(box, there.href);
    });
  }
  const close = (event) => {
    if (event.type === "keydown" ? event.key !== "Escape" : box.contains(event.target)) return;
    box.more.textContent = "";
    for (const type of CLOSES) removeEventListener(type, close);
  };
  for (const type of CLOSES) addEventListener(type, close);
}

async function copyAndTell(box, text) {
  const { data, said, field } = box;
  clearTimeout(box.timer);
  said.textContent = "";
  const done = await copy(text);
  field.hidden = done;
  if (done) {
    requestAnimationFrame(() => (said.textContent = `✓ ${data.done_label}`));
    box.timer = setTimeout(() => (said.textContent = ""), SHOWN_MS); // the address may change, so the message must not stay
  } else {
    field.value = text;
    field.setAttribute("aria-label", data.label);
    field.focus();
    field.select();
  }
}

function build(parentElement) {
  const box = element("div", "pkl-copy", parentElement);
  const button = element("button", "pkl-button", box, { type: "button" });
  const said = element("span", "", box, { role: "status", "aria-live": "polite" });
  // Shown only if copying fails: the selected address, for the reader to copy with the keyboard.
  const field = element("input", "", box, { readonly: "", hidden: "" });
  const more = element("div", "pkl-copy-more", box, { role: "status" });
  Object.assign(box, { said, field, more });
  button.addEventListener("click", async () => {
    clearTimeout(box.timer);
    said.textContent = "";
    more.textContent = "";
    if (box.data.instead) {
      requestAnimationFrame(() => (said.textContent = box.data.instead));
      return;
    }
    await copyAndTell(box, address(box.data));
    tellOnlyHere(box);
  });
  return box;
}

export default function ({ data, parentElement }) {
  const box = parentElement.querySelector(":scope > .pkl-copy") ?? build(parentElement);
  if (!data.instead && box.data?.instead) box.querySelector("[role=status]").textContent = "";
  box.data = data;
  box.querySelector("button").textContent = data.label;
}
