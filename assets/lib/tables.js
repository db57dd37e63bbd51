// A table that scrolls sideways must be reachable with Tab; any other must not be a tab stop.

function watchTables() {
  if (window.pagedKvLabTables) return; // one observer per page serves all mounts
  let waiting = false;
  const mark = () => {
    waiting = false;
    for (const box of document.querySelectorAll('[data-testid="stTable"] > div')) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
    // Streamlit gives the file field a label but the role "presentation", which hides the label.
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
