// The set-up helper: live checks of camera, light and colours, each with what to do; and the calibrations.
import { DISKS } from "./disks.js";
import { ask, send } from "./feed.js";
import { el, put } from "./make.js";

const KINDS = {
  lens: ["Lens", "Print the lens target, hold it before the camera in all parts of the picture, tilted and near and far; then stop."],
  board: ["Board", "The board lies before the camera, nobody's hand over it."],
  colours: ["Colours", "Some men of both colours stand on the board."],
  leds: ["Lights", "Empty board, dim room: the LEDs light up one after another."],
};

let timer = null;
let parts = null;
let suggested = null;  // the game whose board and colours the form has

/** Show the helper in a panel and keep it up to date while it is open; `stateOf` gives the newest state, if any. */
export async function open(root, stateOf) {
  clearTimeout(timer);
  if (root.hidden) return;
  if (!parts) {
    parts = { checks: el("div"), calibration: el("div") };
    put(root, el("h2", {}, "Camera, light and table"), parts.checks, parts.calibration);
    await form(parts.calibration).catch((error) => put(parts.calibration, el("p", {}, error.message)));
  }
  try {
    drawChecks((await ask("/api/checks")).checks);
    if (parts.said) drawCalibration(await ask("/api/calibration"));
    if (parts.fields) suggest(stateOf());
  } catch (error) { put(parts.checks, el("p", {}, error.message)); }
  timer = setTimeout(() => open(root, stateOf), 1500);
}

function drawChecks(checks) {
  put(parts.checks, checks.length ? checks.map((check) => el("div", { class: `check ${check.good ? "good" : "bad"}` },
    el("span", { class: "tick", "aria-label": check.good ? "good" : "to do" }, check.good ? "✓" : "!"), el("strong", {}, check.what), check.todo && el("span", { class: "todo" }, check.todo)))
    : el("p", {}, "No camera is watching. Start a game with a camera, and the checks appear here."));
}

async function form(root) {
  const { kinds } = await ask("/api/calibration");
  if (!kinds.length) return;
  const choices = await ask("/api/choices");
  const select = (name, values) => el("select", { "aria-label": name }, values.map(([value, text]) => el("option", { value }, text)));
  const words = Object.keys(choices.colours).map((word) => [word, word]);
  const source = select("Camera", choices.sources.slice(1).map((title, i) => [i + 1, title]));
  const board = select("Board", choices.boards.map((name) => [name, name]));
  const colours = [select("Men of the first player", words), select("Men of the second player", words)];
  const disks = select("Disks", DISKS.map((faces) => [faces, faces]));
  [board.value, colours[0].value, colours[1].value] = ["hexhex-5", "red", "purple"];
  const fault = el("p", { class: "fault", role: "alert" });
  const begin = async (kind) => {
    fault.textContent = "";
    try {
      await send("/api/calibrate", { kind, source: Number(source.value), board: board.value, colours: colours.map((c) => c.value), disks: disks.value });
    } catch (error) { fault.textContent = error.message; }
  };
  parts.fields = [board, ...colours, disks];
  parts.said = el("div", { "aria-live": "polite" });
  parts.stop = el("button", { type: "button", hidden: true, onclick: () => begin("") }, "Stop: that is enough");
  put(root, el("h2", {}, "Calibrate"),
    el("p", {}, "Everything works without; with it the eye is surer. A game that is watched gives its camera up meanwhile, and goes on afterwards."),
    el("p", {}, source, " ", board), el("p", {}, colours[0], " ", colours[1], " ", disks),
    fault, parts.said, parts.stop,
    kinds.map((kind) => el("div", { class: "check" }, el("span", { class: "tick" }, "›"),
      el("span", {}, el("button", { type: "button", onclick: () => begin(kind) }, KINDS[kind][0])), el("span", { class: "todo" }, KINDS[kind][1]))));
}

/** A game that is new to the form has its board, men and disks chosen, as far as they are on offer. */
function suggest(state) {
  if (!state?.setup || state.gameId === suggested) return;
  suggested = state.gameId;
  const words = [state.board.name, ...state.setup.words, state.setup.disks];
  parts.fields.forEach((field, i) => { if ([...field.options].some((option) => option.value === words[i])) field.value = words[i]; });
}

function drawCalibration({ kind, running, good, lines }) {
  parts.stop.hidden = !running;
  if (!kind) return;
  const state = running ? "is running" : good ? "is done" : "has ended without a result";
  put(parts.said, el("h2", {}, `${KINDS[kind][0]}: ${state}`), lines.length ? el("pre", { class: "said" }, lines.slice(-8).join("\n")) : null);
}
