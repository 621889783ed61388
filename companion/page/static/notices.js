// What needs attention, in plain words, with how to put it right and what a player can press.
import { el, put } from "./make.js";

/** Redraw the notices of a state; `act(body)` sends a request, null where nothing can be pressed. */
export function drawNotices(root, state, act) {
  const notices = [];
  const button = (text, body, cls = "") => act && el("button", { type: "button", class: cls, onclick: () => act(body) }, text);
  const add = (kind, title, lines, ...buttons) => notices.push(el("section", { class: `notice ${kind}` },
    el("strong", {}, title), lines.length === 1 ? el("p", {}, lines[0]) : lines.length > 1 ? el("ul", {}, lines.map((line) => el("li", {}, line))) : null,
    act && buttons.length ? el("div", { class: "row" }, buttons) : null));

  if (state.alarm) {
    add("alarm", state.alarm.why, state.alarm.repair.map((step) => step.text), button("Let it stand as an irregular move", { do: "accept-irregular" }));
  }
  if (state.candidates.length) {
    add("note", "Which move was it?", [], ...state.candidates.map((text, i) => button(text, { do: "accept", candidate: i })));
  }
  const lost = state.lost ? [`${capital(state.lost)}.`] : [];
  if (state.phase === "looking") add("note", "Looking for the board", [...lost, "Lay the board before the camera, all of it in the picture.", "The tab Set up says what can be better."]);
  else if (state.lost && state.phase !== "over") add("alarm", "The board is out of sight", [...lost, "The game goes on by itself when the camera sees the whole board."]);
  if (state.phase === "placement" && state.status.camera && !state.doubt) add("note", "Set your men", ["The game begins by itself when both sides stand and the hands are gone."]);
  if (state.doubt) {
    const [first, second] = state.setup.players.map((name, i) => button(`${name} moves next`, { do: "take-up", player: i + 1 }));
    add("note", "Has the game begun already?", [`${capital(state.doubt)}.`, "If so, say who moves next: it goes on from the table as it stands."], first, second);
  }
  if (state.unkept) add("alarm", "The journal is not written", [`${capital(state.unkept)}.`, "The game goes on. What is missing is written as soon as that is possible."]);
  for (const reminder of state.reminders) add("remind", capital(reminder.text), []);
  if (state.pending?.steps.length && !(state.doubt && state.phase === "placement")) {
    add("note", state.pending.turn ? `${state.pending.turn}: still to do` : "Still to do", state.pending.steps.map((step) => step.text));
  }
  if (state.differences.length && !state.alarm && !state.pending) {
    add("note", "Table and game differ", state.differences.slice(0, 6).map((d) => d.text));
  }
  if (state.phase === "paused") add("note", "Paused", ["The eye does not follow the table."], button("Go on", { do: "go-on" }, "primary"));
  const key = notices.map((n) => n.textContent).join("|");
  if (root.dataset.key === key) return;
  root.dataset.key = key;
  put(root, ...notices);
}

/** A sentence begins with a capital. */
function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
