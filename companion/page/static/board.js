// The board as SVG: cells, disks, stacks, areas, and marks for moves, targets, reminders and alarms.
import { inkOn, svg } from "./make.js";

const PITCH = 100;
const HEX = PITCH / Math.sqrt(3);
const DISK = 43;
const MAN = 32;
const STEP = 9;
const OWNERS = ["nobody", "first", "second", "neutral"];

/** Centre of a cell in drawing units, the board turned counter-clockwise by so many sixths. */
const centre = ([q, r], turn) => {
  const [x, y] = [PITCH * (q + r / 2), PITCH * (Math.sqrt(3) / 2) * r];
  const [c, s] = [Math.cos((turn * Math.PI) / 3), Math.sin((turn * Math.PI) / 3)];
  return [x * c + y * s, y * c - x * s];
};

const hexPath = (size) =>
  [0, 1, 2, 3, 4, 5].map((k) => `${(size * Math.sin((k * Math.PI) / 3)).toFixed(2)},${(-size * Math.cos((k * Math.PI) / 3)).toFixed(2)}`).join(" ");

// Neighbours in the order of the sides: side k lies between the corners k and k + 1, clockwise from the top.
const SIDES = [[1, -1], [1, 0], [0, 1], [-1, 1], [-1, 0], [0, -1]];

const sidePath = ([x, y], k) => {
  const corner = (n) => `${(x + (HEX - 4) * Math.sin((n * Math.PI) / 3)).toFixed(1)} ${(y - (HEX - 4) * Math.cos((n * Math.PI) / 3)).toFixed(1)}`;
  return `M${corner(k)}L${corner(k + 1)}`;
};

const SURFACES = {
  beige: () => [svg("circle", { class: "disk beige", r: DISK }), svg("circle", { class: "disk-rim", r: DISK - 5 })],
  light: () => [svg("circle", { class: "disk light", r: DISK }), svg("circle", { class: "disk-rim", r: DISK - 5 })],
  dark: (id) => [svg("circle", { class: "disk dark", r: DISK }), svg("circle", { fill: `url(#${id}-brick)`, r: DISK - 2 })],
  bare: () => [],
};

let boards = 0;

/** A drawing of the board inside an <svg>; `onCell(index)` is called for a click or the Enter key on a cell. */
export class Board {
  constructor(root, onCell = null) {
    this.root = root;
    this.onCell = onCell;
    this.key = "";
    this.id = `b${(boards += 1)}`;
  }

  /** Draw everything anew. `view`: board, colours, cells [[surface, men, height]], and the marks and `faces`, the colours of the disks (all optional). */
  draw(view) {
    const turn = view.turn ?? 0;
    const key = JSON.stringify([view.board.cells, turn]);
    if (key !== this.key) this.frame(view.board, turn, key);
    const [first, second, neutral = "#82807c"] = view.colours;
    for (const [name, colour] of [["--p1", first], ["--p2", second], ["--p3", neutral]]) this.root.style.setProperty(name, colour);
    if (view.faces) this.disks(...view.faces);
    this.ink = [null, inkOn(first), inkOn(second), inkOn(neutral)];
    this.view = view;
    this.layer.areas.replaceChildren(...this.areas(view));
    this.layer.marks.replaceChildren(...this.marks(view));
    view.cells.forEach((cell, i) => this.cell(i, cell));
    this.layer.over.replaceChildren(...this.over(view));
  }

  /** Disks look as they lie on the table, walls with bricks that can be seen on them. */
  disks(light, dark) {
    for (const [name, colour] of [["--beige", light], ["--wall", dark], ["--mortar", `color-mix(in srgb, ${dark}, ${inkOn(dark)} 30%)`]]) this.root.style.setProperty(name, colour);
  }

  frame(board, turn, key) {
    [this.key, this.board, this.turn] = [key, board, turn];
    this.places = board.cells.map((cell) => centre(cell, turn));
    const [xs, ys] = [this.places.map((p) => p[0]), this.places.map((p) => p[1])];
    const [left, top] = [Math.min(...xs) - HEX - 8, Math.min(...ys) - HEX - 22];
    this.root.setAttribute("viewBox", `${left} ${top} ${Math.max(...xs) + HEX + 8 - left} ${Math.max(...ys) + HEX + 10 - top}`);
    this.layer = Object.fromEntries(["ground", "areas", "names", "marks", "pieces", "over", "hits"].map((name) => [name, svg("g", { class: name })]));
    this.root.replaceChildren(defs(this.id), ...Object.values(this.layer));
    this.drawn = board.cells.map(() => "");
    this.groups = this.places.map(([x, y]) => svg("g", { transform: `translate(${x} ${y})` }));
    this.surfaces = this.places.map(([x, y]) => svg("g", { transform: `translate(${x} ${y})` }));
    this.places.forEach(([x, y], i) => {
      this.layer.ground.append(svg("polygon", { class: "ground-cell", points: hexPath(HEX), transform: `translate(${x} ${y})` }), this.surfaces[i]);
      this.layer.names.append(svg("text", { class: "cell-name", x, y: y + HEX - 9 }, board.names[i]));
      this.layer.hits.append(this.hit(i, x, y));
    });
    // stacks are drawn from back to front
    [...this.groups.keys()].sort((a, b) => this.places[a][1] - this.places[b][1]).forEach((i) => this.layer.pieces.append(this.groups[i]));
  }

  hit(i, x, y) {
    const press = () => this.onCell?.(i);
    return svg("polygon", {
      class: "hit", points: hexPath(HEX - 2), transform: `translate(${x} ${y})`, role: "button", tabindex: -1, "data-cell": this.board.names[i],
      onclick: press,
      onkeydown: (event) => {
        if (event.key === "Enter" || event.key === " ") { event.preventDefault(); event.stopPropagation(); press(); }
        else if (event.key.startsWith("Arrow")) { event.preventDefault(); event.stopPropagation(); this.walk(i, event.key); }
      },
    });
  }

  /** Cells can be chosen by pointer, or by arrow keys and Enter. */
  choosable(on) {
    this.root.classList.toggle("choosing", on);
    [...this.layer.hits.children].forEach((hit, i) => hit.setAttribute("tabindex", on && i === 0 ? 0 : -1));
    if (!on && this.root.contains(document.activeElement)) document.activeElement.blur();
    if (on) this.layer.hits.children[Math.floor(this.places.length / 2)].focus();
  }

  walk(from, key) {
    const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
    const [x, y] = this.places[from];
    let best = -1, least = Infinity;
    this.places.forEach(([px, py], i) => {
      const along = (px - x) * dx + (py - y) * dy;
      const aside = Math.abs((px - x) * dy) + Math.abs((py - y) * dx);
      if (along > 1 && along + 1.5 * aside < least) [best, least] = [i, along + 1.5 * aside];
    });
    if (best >= 0) this.layer.hits.children[best].focus();
  }

  cell(i, [surface, men, height]) {
    const key = `${surface} ${men} ${height} ${this.ink.join()}`;
    if (this.drawn[i] === key) return;
    const old = this.drawn[i];
    this.drawn[i] = key;
    this.surfaces[i].replaceChildren(...(SURFACES[surface] ?? SURFACES.bare)(this.id));
    this.groups[i].replaceChildren(...stack(men, height, this.ink[men]));
    this.groups[i].setAttribute("class", old && men ? "piece arrives" : "piece");
    const lies = men ? `, ${height > 1 ? `stack of ${height}` : "one man"} of ${this.view.players?.[men - 1] ?? "the board"}` : "";
    this.layer.hits.children[i].setAttribute("aria-label", `${this.board.names[i]}: ${{ beige: "virgin", bare: "open", dark: "wall", light: "light disk" }[surface]}${lies}`);
  }

  at(i, ...children) {
    const [x, y] = this.places[i];
    return svg("g", { transform: `translate(${x} ${y})` }, ...children);
  }

  /** Each area: a tint, and a line along its border. */
  areas(view) {
    const place = new Map((view.areas ? this.board.cells : []).map(([q, r], i) => [`${q},${r}`, i]));
    return (view.areas ?? []).filter(([owner]) => owner).flatMap(([owner, cells]) => {
      const inside = new Set(cells);
      const border = cells.flatMap((i) => SIDES.map(([dq, dr], k) => {
        const [q, r] = this.board.cells[i];
        return inside.has(place.get(`${q + dq},${r + dr}`)) ? "" : sidePath(this.places[i], (k - this.turn + 6) % 6);
      }));
      return [...cells.map((i) => this.at(i, svg("polygon", { class: `tint ${OWNERS[owner]}`, points: hexPath(HEX) }))),
        svg("path", { class: `area ${OWNERS[owner]}`, d: border.join("") })];
    });
  }

  marks(view) {
    const rings = (view.last ?? []).map((i) => this.at(i, svg("polygon", { class: "last", points: hexPath(HEX - 5) })));
    const chosen = (view.chosen ?? []).map((i) => this.at(i, svg("polygon", { class: "chosen", points: hexPath(HEX - 5) })));
    return [...rings, ...chosen, ...(view.arrow ? [this.arrow(...view.arrow)] : [])];
  }

  over(view) {
    const parts = [];
    for (const i of view.hints ?? []) parts.push(this.at(i, svg("circle", { class: "hint", r: 13 })));
    if (view.lifted) parts.push(...this.lifted(view.lifted));
    for (const i of view.reminders ?? []) parts.push(this.at(i, svg("path", { class: "remind", d: "M28-54 56-6 0-6Z" }), svg("text", { class: "sign", x: 28, y: -12 }, "!")));
    for (const i of view.differences ?? []) parts.push(this.at(i, svg("circle", { class: "differs", r: 47 }), svg("text", { class: "sign small", x: 34, y: -26 }, "?")));
    for (const i of view.alarm ?? []) parts.push(this.at(i, svg("polygon", { class: "alarm", points: hexPath(HEX - 4) }), svg("path", { class: "alarm-cross", d: "M24-40 40-24M40-40 24-24" })));
    return parts;
  }

  arrow(from, to) {
    const [[x1, y1], [x2, y2]] = [this.places[from], this.places[to]];
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
    return svg("line", { class: "arrow", x1: x1 + ux * 12, y1: y1 + uy * 12, x2: x2 - ux * 36, y2: y2 - uy * 36, "marker-end": `url(#${this.id}-arrowhead)` });
  }

  lifted(lifted) {
    const targets = lifted.targets.map((t) => this.at(t.cell, svg("circle", { class: "target", r: 44 }), svg("circle", { class: "target-spot", r: 17 }), svg("text", { class: "target-count", y: 9 }, String(t.count))));
    return [this.at(lifted.cell, svg("circle", { class: "lifted", r: 46 })), ...targets];
  }
}

/** A stack seen a little from the front: a rim for every man, the top face, its height as a number. */
function stack(men, height, ink) {
  if (!men) return [];
  const owner = OWNERS[men];
  const shown = Math.min(height, 9);
  const parts = [svg("ellipse", { class: "shadow", cx: 3, cy: 7, rx: MAN + 2, ry: MAN })];
  for (let k = 0; k < shown; k++) {
    parts.push(svg("circle", { class: `rim ${owner}`, r: MAN, cy: 4 - k * STEP }), svg("circle", { class: `face ${owner}`, r: MAN, cy: -2 - k * STEP, stroke: ink }));
  }
  const top = -2 - (shown - 1) * STEP;
  parts.push(svg("circle", { class: "groove", r: MAN - 7, cy: top, stroke: ink }));
  if (height > 1) parts.push(svg("text", { class: "height", y: top + 12, fill: ink }, String(height)));
  return parts;
}

function defs(id) {
  return svg("defs", {},
    svg("pattern", { id: `${id}-brick`, width: 22, height: 16, patternUnits: "userSpaceOnUse" },
      svg("path", { class: "mortar", d: "M0 0H22M0 8H22M5 0V8M16 8V16" })),
    svg("marker", { id: `${id}-arrowhead`, viewBox: "0 0 10 10", refX: 5, refY: 5, markerWidth: 3.4, markerHeight: 3.4, orient: "auto-start-reverse" },
      svg("path", { class: "arrow-head", d: "M0 0 10 5 0 10Z" })));
}
