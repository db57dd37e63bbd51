// Helper put in front of browser_store.js: one record out of what two tabs of this browser have made of the same one.

// What is said once under a name: of two tabs that said different things, the one that was stored first stands, unless
// the other goes on from it. What belongs to it, under the same name in the second map, comes from the same tab.
const SAID_ONCE = [
  ["committed", "ran"], // the prediction for a scenario, and how far it has been run
  ["rounds", "rounds_sure"], // the answers to a quiz round, and how sure each was
  ["checks"], // the answer to a quick question
];

const isMap = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/** Is this text the other one with more after it? The parts of a run and of a round are joined by `_` and `.`. */
function goesOn(text, from) {
  if (typeof text !== "string" || typeof from !== "string" || !text.startsWith(from)) return false;
  return from.endsWith("_") || /^[_.]/.test(text.slice(from.length));
}

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

/** What was changed from `base` to `mine`, done to `theirs`. Of what both changed: mine, unless theirs goes on. */
function mergeValues(base, mine, theirs) {
  const [was, here, there] = [base, mine, theirs].map((each) => JSON.stringify(each));
  if (here === was || here === there) return theirs;
  if (there === was) return mine;
  if (Array.isArray(mine) && Array.isArray(theirs)) return mergeLists(Array.isArray(base) ? base : [], mine, theirs);
  if (!isMap(mine) || !isMap(theirs)) return mine === undefined || goesOn(theirs, mine) ? theirs : mine;
  const before = isMap(base) ? base : {};
  const merged = new Map();
  // Theirs first, so that what is newest here stays last.
  for (const key of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
    const [b, m, t] = [before, mine, theirs].map((each) => (Object.hasOwn(each, key) ? each[key] : undefined));
    const value = mergeValues(b, m, t);
    if (value !== undefined) merged.set(key, value);
  }
  return Object.fromEntries(merged);
}

/** What is said under each name: by its key in a map; in a list of texts the name comes before the first `_`. */
function byName(said) {
  if (Array.isArray(said)) return new Map(said.map((text) => [String(text).split("_")[0], text]));
  return new Map(isMap(said) ? Object.entries(said) : []);
}

/** Of two different things said under one name: does mine stand? */
function mineStands(base, mine, theirs) {
  if (mine === base || theirs === base) return theirs === base;
  return theirs === undefined || goesOn(mine, theirs);
}

/** This map with `value` under the name; without the name where there is no value. */
function withValue(map, name, value) {
  const entries = new Map(isMap(map) ? Object.entries(map) : []);
  if (value === undefined) entries.delete(name);
  else entries.set(name, value);
  return Object.fromEntries(entries);
}

/** One record of two that were made of `base`: what was changed from it to `mine`, done to `theirs`. */
function merge(base, mine, theirs) {
  const merged = { ...mergeValues(base, mine, theirs) };
  for (const [key, belonging] of SAID_ONCE) {
    const [was, here, there] = [base, mine, theirs].map((record) => byName(record[key]));
    for (const name of new Set([...here.keys(), ...there.keys()])) {
      const [b, m, t] = [was, here, there].map((said) => said.get(name));
      if (m === t) continue;
      const [stands, falls, record] = mineStands(b, m, t) ? [m, t, mine] : [t, m, theirs];
      if (Array.isArray(merged[key])) merged[key] = merged[key].filter((text) => text !== falls);
      else if (key in merged) merged[key] = withValue(merged[key], name, stands);
      const told = byName(record[belonging]).get(name);
      if (merged[belonging]) merged[belonging] = withValue(merged[belonging], name, told);
    }
  }
  return merged;
}
