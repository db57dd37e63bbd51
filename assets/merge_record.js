// Helper put in front of browser_store.js: one record out of what two tabs of this browser have made of the same one.

const isMap = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/** How often each item of a list is there, by its text. */
function counts(list) {
  const found = new Map();
  for (const item of list) {
    const text = JSON.stringify(item);
    found.set(text, (found.get(text) ?? 0) + 1);
  }
  return found;
}

/** `theirs` without what I took out of `base`, and with what I put in and they did not: each item as often as either. */
function mergeLists(base, mine, theirs) {
  const [was, here, there] = [counts(base), counts(mine), counts(theirs)];
  const left = new Map();
  for (const text of new Set([...here.keys(), ...there.keys()])) {
    const [before, my, their] = [was, here, there].map((each) => each.get(text) ?? 0);
    left.set(text, my < before ? Math.min(my, their) : Math.max(their, Math.min(my, their + my - before)));
  }
  return [...theirs, ...mine].filter((item) => {
    const text = JSON.stringify(item);
    const more = left.get(text);
    left.set(text, more - 1);
    return more > 0;
  });
}

/** What was changed from `base` to `mine`, done to `theirs`; where both changed the same thing, mine stands. */
function merge(base, mine, theirs) {
  const [was, here, there] = [base, mine, theirs].map((each) => JSON.stringify(each));
  if (here === was || here === there) return theirs;
  if (there === was) return mine;
  if (Array.isArray(mine) && Array.isArray(theirs)) return mergeLists(Array.isArray(base) ? base : [], mine, theirs);
  if (!isMap(mine) || !isMap(theirs)) return mine === undefined && there !== was ? theirs : mine;
  const before = isMap(base) ? base : {};
  const merged = new Map();
  // Theirs first, so that what is newest here stays last.
  for (const key of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
    const [b, m, t] = [before, mine, theirs].map((each) => (Object.hasOwn(each, key) ? each[key] : undefined));
    const value = merge(b, m, t);
    if (value !== undefined) merged.set(key, value);
  }
  return Object.fromEntries(merged);
}
