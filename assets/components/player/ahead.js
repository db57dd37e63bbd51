// The frames of the suggested operation, ahead of its press: see hearPress() in player_report.js.

export default function ({ data }) {
  window.pagedKvLabAhead = data;
  window.pagedKvLabPlayer?.expect();
}
