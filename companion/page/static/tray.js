// Entering a move, or choosing a cell, by pressing cells on the board.
import { ask } from "./feed.js";
import { el, put } from "./make.js";

const CELL = /[a-z]\d+/g;
const cellsOf = (text) => text.match(CELL) ?? [];

/** What both trays are: a strip beside the board that is open while cells are chosen. */
class Tray {
  constructor(root, page) {
    [this.root, this.page, this.active] = [root, page, false];
  }

  begin() {
    this.active = true;
    this.page.choosing(true);
    this.draw();
  }

  close() {
    this.active = false;
    this.root.hidden = true;
    this.page.choosing(false);
    this.page.redraw();
  }
}

/** A turn put together from pressed cells: the legal turns that begin with them are offered as buttons. */
export class MoveTray extends Tray {
  async open() {
    const { legal, complete } = await ask("/api/legal");
    this.legal = legal.map((text) => [text, cellsOf(text)]);
    this.complete = complete;
    this.pressed = [];
    this.actions = []; // of a turn that may have several: Phalanx
    this.begin();
  }

  /** An action of a turn was chosen: the turn, or one more part of it. */
  choose(turn) {
    if (this.page.state.setup.game !== "phalanx") { this.play(turn); return; }
    this.actions.push(turn);
    this.pressed = [];
    this.draw();
  }

  play(turn) {
    this.page.act({ do: "enter", text: turn }).then((done) => done && this.close());
  }

  /** A cell was pressed. Pressing the last one again takes it away. */
  press(name) {
    if (this.complete && this.pressed.at(-1) === name && !this.matching([...this.pressed, name]).length) this.pressed.pop();
    else if (!this.complete || this.matching([...this.pressed, name]).length) this.pressed.push(name);
    else this.pressed = this.matching([name]).length ? [name] : [];
    this.draw();
  }

  matching(pressed) {
    return this.legal.filter(([, cells]) => pressed.every((name, i) => cells[i] === name));
  }

  /** What the board should show: pressed cells, and where the turn may go on. */
  marks(index) {
    if (!this.active) return {};
    const hints = this.complete ? new Set(this.matching(this.pressed).map(([, cells]) => cells[this.pressed.length]).filter(Boolean)) : [];
    return { chosen: this.pressed.map(index), hints: [...hints].map(index) };
  }

  draw() {
    const text = el("input", { type: "text", "aria-label": "Turn in notation", placeholder: "or type it: a5-c4", value: this.complete ? this.actions.join(",") : this.pressed.join(","), autocomplete: "off", size: 16 });
    const offered = this.pressed.length || this.legal.length <= 8 ? this.matching(this.pressed).filter(([turn]) => turn !== "pass").slice(0, 24) : [];
    const exact = offered.filter(([, cells]) => cells.length === this.pressed.length);
    const shown = exact.length ? exact : this.pressed.length ? offered : [];
    text.addEventListener("keydown", (event) => { if (event.key === "Enter" && text.value.trim()) this.play(text.value.trim()); });
    put(this.root,
      el("p", {}, this.complete ? "Press the piece, then where it goes." : "Press the cells in order, or type the turn."),
      ...shown.map(([turn]) => el("button", { type: "button", class: exact.length === 1 ? "primary" : "", onclick: () => this.choose(turn) }, turn)),
      text,
      el("button", { type: "button", onclick: () => text.value.trim() && this.play(text.value.trim()) }, "Play it"),
      el("button", { type: "button", onclick: () => this.close() }, "Cancel"));
    this.root.hidden = false;
    this.page.redraw();
  }
}

const TILES = { storisende: ["virgin", "territory", "wall"], castle: ["open", "castle", "throne"], phalanx: ["open", "wall"], hexteroyd: ["open", "light", "dark"] };

/** Say what one cell is: press it, then choose. */
export class CellTray extends Tray {
  open() {
    this.cell = null;
    this.begin();
  }

  press(name) {
    this.cell = name;
    this.draw();
  }

  marks(index) {
    return this.active && this.cell ? { chosen: [index(this.cell)] } : {};
  }

  draw() {
    const cancel = el("button", { type: "button", onclick: () => this.close() }, "Cancel");
    if (this.cell === null) {
      put(this.root, el("p", {}, "Press the cell that you want to set."), cancel);
    } else {
      const { state } = this.page;
      const at = state.board.names.indexOf(this.cell);
      const [, men, height] = state.cells[at];
      const option = (value, text, chosen) => el("option", { value, selected: chosen }, text);
      const tile = el("select", { "aria-label": "The cell is" }, (TILES[state.setup.game] ?? []).map((t) => option(t, t, t === state.tiles[at])));
      const owner = el("select", { "aria-label": "Men of" }, option(0, "no men", men === 0), state.setup.players.map((name, i) => option(i + 1, name, men === i + 1)),
        state.setup.game === "hexteroyd" ? option(3, "pawn", men === 3) : null);
      const count = el("input", { type: "number", min: 0, max: 20, value: height, "aria-label": "How many men" });
      const set = () => this.page.act({ do: "set-cell", cell: at, tile: tile.value, owner: Number(owner.value), height: Number(owner.value) ? Number(count.value) : 0 }).then((done) => done && this.close());
      put(this.root, el("p", {}, `${this.cell} is:`), tile, owner, count, el("button", { type: "button", class: "primary", onclick: set }, "Set it"), cancel);
    }
    this.root.hidden = false;
    this.page.redraw();
  }
}
