// Keeps what is chosen in a form, and not yet sent, when the language changes: Streamlit knows a choice by its text
// only. Comes after after_run.js.

const listGroups = () => [...document.querySelectorAll('[data-testid="stForm"] [role="radiogroup"]')];
const listOptions = (group) => [...group.querySelectorAll('input[type="radio"]')];

/** The place of the chosen option of each group, -1 without one. */
function readChosen() {
  return listGroups().map((group) => listOptions(group).findIndex((option) => option.checked));
}

/** Choose again what the new texts have emptied. */
function restore(chosen) {
  const groups = listGroups();
  if (groups.length !== chosen.length) return;
  groups.forEach((group, i) => {
    const options = listOptions(group);
    if (!options.some((option) => option.checked)) options[chosen[i]]?.click();
  });
}

export default function ({ data, parentElement }) {
  // An empty element would still take up a gap.
  parentElement.closest('[data-testid="stElementContainer"]')?.style.setProperty("display", "none");
  const { language, chosen } = parentElement.before ?? {};
  if (chosen && language !== data.language) afterRun(() => restore(chosen));
  const before = (parentElement.before = { language: data.language });
  const look = ({ target }) => {
    if (target.closest?.(".st-key-language")) before.chosen = readChosen();
  };
  const types = ["click", "keydown"];
  types.forEach((type) => addEventListener(type, look, true));
  return () => types.forEach((type) => removeEventListener(type, look, true));
}
