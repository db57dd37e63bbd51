// What is for the presenter alone, on its way to the second window: nothing of it is drawn here. See presenter.js.

export default function ({ data, parentElement }) {
  parentElement.closest('[data-testid="stElementContainer"]')?.style.setProperty("display", "none");
  window.pagedKvLabRemarks = data.remarks;
  dispatchEvent(new Event("pkl-remarks"));
}
