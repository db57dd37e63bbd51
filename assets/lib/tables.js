// A table that scrolls sideways must be reachable by keyboard; one that does not is no stop for it.

function watchTables() {
  if (window.pagedKvLabTables) return; // once for the page, whichever mount is alive
  let waiting = false;
  const mark = () => {
    waiting = false;
    for (const box of document.querySelectorAll('[data-testid="stTable"] > div')) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
    // Streamlit names the field for files and says at once that it is no element of its own.
    for (const zone of document.querySelectorAll('[data-testid="stFileUploaderDropzone"][role="presentation"]')) {
      zone.setAttribute("role", "group");
    }
  };
  const soon = () => {
    if (!waiting) requestAnimationFrame(mark);
    waiting = true;
  };
  window.pagedKvLabTables = new MutationObserver(soon);
  window.pagedKvLabTables.observe(document.body, { childList: true, subtree: true });
  addEventListener("resize", soon);
}
