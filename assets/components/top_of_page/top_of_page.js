// Scrolls a new page to its top: all pages share one scrolling element, and Streamlit leaves its position as it was.

export default function ({ data, parentElement }) {
  // An empty element would still take up a gap.
  parentElement.closest('[data-testid="stElementContainer"]')?.style.setProperty("display", "none");
  const before = document.documentElement.pklPage;
  document.documentElement.pklPage = data.page;
  if (before !== undefined && before !== data.page) document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0);
}
