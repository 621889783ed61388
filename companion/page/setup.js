// The set-up helper: live checks of camera, light and colours, each with what to do.
import { el, put } from "./make.js";
import { ask } from "./feed.js";

let timer = null;

/** Show the checks in a panel and repeat them while it is open. */
export async function open(root) {
  clearTimeout(timer);
  if (root.hidden) return;
  try {
    const { checks } = await ask("/api/checks");
    put(root,
      el("h2", {}, "Camera, light and table"),
      checks.length ? checks.map((check) => el("div", { class: `check ${check.good ? "good" : "bad"}` },
        el("span", { class: "tick", "aria-label": check.good ? "good" : "to do" }, check.good ? "✓" : "!"), el("strong", {}, check.what), check.todo && el("span", { class: "todo" }, check.todo)))
        : el("p", {}, "No camera is watching. Start a game with a camera, and the checks appear here."),
    );
  } catch (error) { put(root, el("p", {}, error.message)); }
  timer = setTimeout(() => open(root), 1500);
}
