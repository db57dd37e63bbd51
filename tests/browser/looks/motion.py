"""What moves on a page from its first script on, for who asked for less motion.

Motion is what changes where something is or how large it is: a transition, an animation by style or by script, a
picture that Plotly moves, a scroll that glides. A colour, an opacity, a shadow or a rounded corner that fades is none.
An animation by script counts where it shows: what an important rule of a style overrules does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

WATCHING = r"""(() => {
  const moved = (window.movedHere = []);
  const fades = /^(opacity|visibility|fill|stroke|.*color|.*shadow|outline.*|border.*radius|.*filter)$/i;
  const note = (what, node) => moved.push(`${what} ${node?.outerHTML?.slice(0, 160) ?? ""}`);
  const properties = (animation) => {
    const told = ["offset", "computedOffset", "easing", "composite"];
    const frames = animation?.effect.getKeyframes() ?? [{ unknown: 1 }];
    return [...new Set(frames.flatMap(Object.keys))].filter((name) => !told.includes(name) && !fades.test(name));
  };
  addEventListener("transitionrun", (event) => {
    if (!fades.test(event.propertyName)) note(`transition of ${event.propertyName}`, event.target);
  }, true);
  addEventListener("animationstart", ({ target, animationName }) => {
    const all = target.getAnimations({ subtree: true });
    const found = properties(all.find((each) => each.animationName === animationName));
    if (found.length) note(`animation ${animationName} of ${found}`, target);
  }, true);
  const { animate } = Element.prototype;
  Element.prototype.animate = function (...how) {
    const animation = animate.apply(this, how);
    const { duration } = animation.effect.getComputedTiming();
    const looks = (time) => {
      animation.currentTime = time;
      const style = getComputedStyle(this);
      return properties(animation).map((name) => style[name]).join();
    };
    const before = looks(0);
    if (before !== looks(duration / 2)) note(`animate() of ${properties(animation)}`, this);
    animation.currentTime = 0;
    return animation;
  };
  for (const owner of [window, Element.prototype]) {
    for (const name of ["scroll", "scrollTo", "scrollBy", "scrollIntoView"]) {
      const scroll = owner[name];
      if (!scroll) continue;
      owner[name] = function (...where) {
        if (where[0]?.behavior === "smooth") note(`${name} that glides`, this);
        return scroll.apply(this, where);
      };
    }
  }
  let plotly;
  const asPlotly = { configurable: true, get: () => plotly, set: (loaded) => {
    plotly = { ...loaded, react: async (node, ...what) => {
      const drawn = await loaded.react(node, ...what);
      if (!node.watched) node.on("plotly_transitioning", () => note("Plotly's transition", node));
      node.watched = true;
      return drawn;
    } };
  } };
  Object.defineProperty(window, "Plotly", asPlotly);
})();"""


def moved(page: Page) -> list[str]:
    """Everything that has moved since the page began to load, each with the element; the page watches: `WATCHING`."""
    return sorted(set(page.evaluate("() => window.movedHere")))
