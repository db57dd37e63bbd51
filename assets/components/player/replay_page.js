// The script of a replay page, a file without a server. Comes after plotly.js, with the player as `mountPlayer`.

const data = JSON.parse(document.getElementById("data").textContent);
window.pagedKvLabPlotly = Promise.resolve(window.Plotly);
const mount = () => mountPlayer({ data, parentElement: document.getElementById("player"), setTriggerValue() {} });
mount();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", mount);
