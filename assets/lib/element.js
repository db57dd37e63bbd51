// Helper put in front of a component's own module.

/** Create an element with these attributes and append it to `parent`, if there is one. */
function element(tag, className, parent, attributes = {}) {
  const node = document.createElement(tag);
  node.className = className;
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  parent?.append(node);
  return node;
}
