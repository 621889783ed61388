// Dialogs: a new game, the end of a game by agreement, questions.
import { Board } from "./board.js";
import { DISKS } from "./disks.js";
import { ask, send } from "./feed.js";
import { el, put, svg } from "./make.js";

const dialog = () => document.getElementById("dialog");

/** Open the dialog with this content; gives a function that closes it. */
export function show(title, ...content) {
  const box = dialog();
  put(box, el("h2", { id: "dialog-title" }, title), ...content);
  box.setAttribute("aria-labelledby", "dialog-title");
  if (!box.open) box.showModal();
  return () => box.close();
}

/** A message that has to be read. */
export function tell(text) {
  const close = show("That did not work", el("p", {}, text), el("div", { class: "row" }, el("button", { type: "button", class: "primary", autofocus: true, onclick: () => close() }, "OK")));
}

/** Resignation and agreed results. */
export function finishDialog(state, act) {
  const { players } = state.setup;
  const press = (text, body) => el("button", { type: "button", onclick: () => { close(); act(body); } }, text);
  const close = show("End the game",
    el("div", { class: "row" }, players.map((name, i) => press(`${name} resigns`, { do: "resign", player: i + 1 }))),
    el("div", { class: "row" }, players.map((name, i) => press(`Agreed: ${name} wins`, { do: "agree", winner: i + 1 })), press("Agreed: a draw", { do: "agree", winner: 0 })),
    el("div", { class: "row" }, el("button", { type: "button", class: "primary", onclick: () => close() }, "Play on")));
}

/** Take back one or several turns. */
export function takeBackDialog(state, act) {
  const count = el("input", { type: "number", min: 1, max: state.history.length, value: 1, "aria-label": "How many turns" });
  const close = show("Take back",
    el("p", {}, el("label", {}, "How many turns? ", count)),
    el("div", { class: "row" }, el("button", { type: "button", onclick: () => close() }, "Cancel"),
      el("button", { type: "button", class: "primary", onclick: () => { close(); act({ do: "take-back", plies: Number(count.value) }); } }, "Take back")));
}

/** The form for a new game. */
export async function newGameDialog() {
  const choices = await ask("/api/choices");
  if (!choices.sources.length) return tell("This page follows one game. Start the program with “storisende serve” to begin games here.");
  const option = (value, text = value) => el("option", { value }, text);
  const game = el("select", { id: "ng-game" }, choices.games.map((g) => option(g.name, g.title)));
  const rules = el("select", { id: "ng-rules" });
  const extras = el("div", { class: "grid" });
  const board = el("select", { id: "ng-board" }, choices.boards.map((name) => option(name)), option("", "my own, from a board file"));
  const boardText = el("textarea", { id: "ng-boardtext", rows: 6, cols: 36, hidden: true, "aria-label": "Text of the board file", placeholder: "modules = [[0, 0], [3, -1], [1, 2]]" });
  const preview = svg("svg", { class: "preview", width: 150, height: 140, role: "img", "aria-label": "Colours of the men" });
  const colour = (id, chosen) => el("select", { id, onchange: () => swatches() }, Object.keys(choices.colours).map((word) => el("option", { value: word, selected: word === chosen }, word)));
  const colours = [colour("ng-colour1", "red"), colour("ng-colour2", "purple")];
  const line = (text, ...fields) => [el("label", { for: fields[0].id }, text), el("span", {}, fields)];
  const pawns = colour("ng-neutral", "grey");
  const pawnsLine = line("Neutral men", pawns);
  const names = [1, 2].map((n) => el("input", { type: "text", id: `ng-name${n}`, maxlength: 30, autocomplete: "off", placeholder: "name, if you like" }));
  const disks = el("select", { id: "ng-disks", onchange: () => swatches() }, DISKS.map((faces) => option(faces, faces === "none" ? "no disks" : faces)));
  const disksLine = line("Disks", disks);
  const source = el("select", { id: "ng-source" }, choices.sources.map((name, i) => option(i, name)));
  if (choices.sources.length > 1) source.value = "1";
  const underWay = el("select", { id: "ng-under-way" }, option(0, "at its beginning"), option(1, "under way, the first player moves next"), option(2, "under way, the second player moves next"));
  const underWayLine = line("The game is", underWay);
  const minutes = el("input", { type: "number", id: "ng-minutes", min: 0, max: 600, value: 0 });
  const increment = el("input", { type: "number", id: "ng-increment", min: 0, max: 600, value: 0 });
  const fault = el("p", { class: "fault", role: "alert" });

  const gameOf = () => choices.games.find((g) => g.name === game.value);
  const refill = () => {
    put(rules, ...gameOf().rules.map((name) => option(name)));
    put(extras, ...gameOf().options.flatMap((o) => [el("label", { for: `ng-o-${o.name}`, title: o.meaning }, o.name.replaceAll("_", " ")),
      el("select", { id: `ng-o-${o.name}`, title: o.meaning, "data-option": o.name }, o.values.map((value) => option(value)))]));
    board.value = gameOf().board;
    for (const part of pawnsLine) part.hidden = !gameOf().neutral;
    for (const part of disksLine) part.hidden = !gameOf().disks;
    for (const part of underWayLine) part.hidden = !gameOf().resumable;
    swatches();
  };
  const swatches = () => {
    const under = gameOf().disks ? "beige" : "bare";
    const cells = gameOf().neutral ? [["light", 0, 0], ["bare", 3, 2], ["dark", 0, 0]] : [[under, 1, 2], [under, 2, 3], [gameOf().disks ? "dark" : "bare", 0, 0]];
    const board = { cells: [[0, 0], [1, 0], [0, 1]], names: ["a1", "a2", "b1"] };
    const faces = disks.value === "none" ? null : disks.value.split(",").map((word) => choices.colours[word]);
    new Board(preview).draw({ board, faces, colours: [...colours, pawns].map((c) => choices.colours[c.value]), cells });
  };
  game.addEventListener("change", () => {
    [colours[0].value, colours[1].value] = gameOf().neutral ? ["white", "black"] : ["red", "purple"];
    refill();
  });
  board.addEventListener("change", () => { boardText.hidden = board.value !== ""; });
  refill();

  const request = async (body) => {
    fault.textContent = "";
    try {
      await send("/api/start", body);
      close();
    } catch (error) { fault.textContent = error.message; }
  };
  const begin = () => {
    const options = Object.fromEntries([...extras.querySelectorAll("select")].filter((s) => s.selectedIndex > 0).map((s) => [s.dataset.option, s.value]));
    return request({
      game: game.value, rules: rules.value, options, board: board.value || boardText.value, colours: colours.map((c) => c.value), names: names.map((n) => n.value.trim()),
      disks: disks.value, neutral: gameOf().neutral && pawns.value,
      under_way: gameOf().resumable ? Number(underWay.value) : 0,
      source: Number(source.value), clock_s: Number(minutes.value) * 60, increment_s: Number(increment.value),
    });
  };
  const unfinished = choices.unfinished && el("p", { class: "notice note" }, el("strong", {}, "A game is not over"), choices.unfinished, " ",
    el("span", { class: "row" }, el("button", { type: "button", onclick: () => request({ resume: true, source: Number(source.value) }) }, "Go on with it")));
  const close = show("New game", unfinished || "",
    el("div", { class: "grid" },
      line("Game", game), line("Rules", rules), line("Board", board, boardText), line("Camera", source),
      line("First player", colours[0], " ", names[0]), line("Second player", colours[1], " ", names[1]), disksLine, pawnsLine, underWayLine,
      line("Clock, minutes each", minutes, " + ", increment, " s a turn")),
    preview,
    el("details", {}, el("summary", {}, "Options of the rules"), extras), fault,
    el("div", { class: "row" }, el("button", { type: "button", onclick: () => close() }, "Cancel"), el("button", { type: "button", class: "primary", onclick: begin }, "Begin")));
  return undefined;
}
