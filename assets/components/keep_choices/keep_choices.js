// Keeps what is filled in in a form, and not yet sent: when the language changes, since Streamlit knows a choice by its text
// only, and when this tab loads the same address again. Comes after after_run.js.

const DRAFTS = "paged-kv-lab"; // emptied with the record, see browser_store.js
/** From before this page was loaded, and of now; by form and address. */
const drafts = (window.pagedKvLabDrafts ??= { before: takeDrafts(), now: {} });

function takeDrafts() {
  try {
    const text = sessionStorage.getItem(DRAFTS);
    sessionStorage.removeItem(DRAFTS);
    return JSON.parse(text) ?? {};
  } catch {
    return {}; // no storage: it is lost
  }
}

function keepDraft(form) {
  drafts.now[nameDraft(form)] = readFields(form);
  try {
    sessionStorage.setItem(DRAFTS, JSON.stringify(drafts.now));
  } catch {
    // as above
  }
}

const nameDraft = (form) => `${location.href} ${form}`;
const isChoice = ({ type }) => type === "radio" || type === "checkbox";
const readFields = (form) => listFields(form).map((field) => (isChoice(field) ? field.checked : field.value));

/** The inputs of a form. `form`: the keys of its questions; of their parts they are the beginning. */
function listFields(form) {
  const names = form.map((key) => `st-key-${key.replace(/[^\w-]/g, "-")}`);
  const boxes = names.flatMap((name) => [`.${name}`, `[class*="${name}-"]`]);
  return [...document.querySelectorAll(`:is(${boxes}) :is(input, textarea)`)];
}

/** Fill in again what is empty now. */
function restore(form, filled) {
  const fields = listFields(form);
  if (fields.length !== filled.length) return;
  fields.forEach((field, i) => {
    if (!filled[i]) return;
    if (isChoice(field)) return void (field.checked || field.click());
    if (field.value) return;
    // Past React, which takes its own value for the one before.
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value").set.call(field, filled[i]);
    for (const type of ["input", "focusout"]) field.dispatchEvent(new Event(type, { bubbles: true }));
  });
}

export default function ({ data, parentElement }) {
  // An empty element would still take up a gap.
  parentElement.closest('[data-testid="stElementContainer"]')?.style.setProperty("display", "none");
  const { form } = data;
  const { language, filled } = parentElement.kept ?? { filled: drafts.before[nameDraft(form)] };
  delete drafts.before[nameDraft(form)];
  if (filled && language !== data.language) afterRun(() => restore(form, filled));
  const kept = (parentElement.kept = { language: data.language });
  const look = ({ target }) => {
    if (target.closest?.(".st-key-language")) kept.filled = readFields(form);
  };
  const leave = () => keepDraft(form);
  const types = ["click", "keydown"];
  types.forEach((type) => addEventListener(type, look, true));
  addEventListener("pagehide", leave);
  return () => {
    types.forEach((type) => removeEventListener(type, look, true));
    removeEventListener("pagehide", leave);
  };
}
