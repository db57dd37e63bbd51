// Copies the address of the page as it is now.

const SHOWN_MS = 4000;

async function copy(text) {
  if (navigator.clipboard?.writeText) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // refused, or a page without https: the old way may still work
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
  url.searchParams.delete("present"); // who gets the link is no presenter
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  return url.href;
}

function build(parentElement) {
  const box = document.createElement("div");
  box.className = "pkl-copy";
  const button = document.createElement("button");
  button.type = "button";
  const said = document.createElement("span");
  said.setAttribute("role", "status");
  said.setAttribute("aria-live", "polite");
  // Only where nothing can copy: the address itself, selected, for the reader's own keys.
  const field = document.createElement("input");
  field.readOnly = true;
  field.hidden = true;
  box.append(button, said, field);
  parentElement.append(box);
  button.addEventListener("click", async () => {
    clearTimeout(box.timer);
    said.textContent = "";
    if (box.data.instead) {
      requestAnimationFrame(() => (said.textContent = box.data.instead));
      return;
    }
    const done = await copy(address(box.data));
    field.hidden = done;
    if (done) {
      requestAnimationFrame(() => (said.textContent = `✓ ${box.data.done_label}`));
      box.timer = setTimeout(() => (said.textContent = ""), SHOWN_MS); // the address may change under it
    } else {
      field.value = address(box.data);
      field.setAttribute("aria-label", box.data.label);
      field.focus();
      field.select();
    }
  });
  return box;
}

export default function ({ data, parentElement }) {
  const box = parentElement.querySelector(":scope > .pkl-copy") ?? build(parentElement);
  if (!data.instead && box.data?.instead) box.querySelector("[role=status]").textContent = "";
  box.data = data;
  box.querySelector("button").textContent = data.label;
}
