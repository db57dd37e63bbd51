// Streamlit scrolls one and the same element for all pages, and leaves it where it was.

export default function ({ data, parentElement }) {
  // An empty element still takes the gap between two elements.
  parentElement.closest('[data-testid="stElementContainer"]')?.style.setProperty("display", "none");
  const before = document.documentElement.pklPage;
  document.documentElement.pklPage = data.page;
  if (before !== undefined && before !== data.page) document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0);
}
