// The panel beside the board: move list, score curve, camera picture.
import { clockText, el, put, svg } from "./make.js";

const HOW = { inferred: ["inferred: nobody saw it, but only so the table makes sense", "◌"], typed: ["entered by hand", "✎"], irregular: ["irregular: no rule allows it", "!"] };

/** The move list; `choose(ply)` is called when a turn is pressed. Rows pair a turn of each player. */
export function drawMoves(root, state, shownPly, choose) {
  const [first, second] = root.querySelectorAll("thead th.one, thead th.two");
  first.textContent = state.setup.players[0];
  second.textContent = state.setup.players[1];
  const rows = [];
  for (const entry of state.history) {
    const column = entry.player - 1;
    if (!rows.length || rows.at(-1)[column] || (column === 0 && rows.at(-1)[1])) rows.push([null, null]);
    rows.at(-1)[column] = entry;
  }
  const cell = (entry) => {
    if (!entry) return el("td");
    const how = HOW[entry.how];
    const button = el("button", { type: "button", class: entry.ply === shownPly ? "on" : "", "aria-current": entry.ply === shownPly ? "step" : null, onclick: () => choose(entry.ply) },
      entry.text, how && el("span", { class: "how", title: how[0], "aria-label": how[0] }, ` ${how[1]}`), el("small", {}, clockText(entry.t)));
    return el("td", {}, button);
  };
  const body = root.querySelector("tbody");
  const atEnd = root.scrollTop + root.clientHeight > root.scrollHeight - 60;
  put(body, ...rows.map((row, i) => el("tr", {}, el("td", {}, `${i + 1}.`), row.map(cell))));
  const on = body.querySelector(".on");
  if (on && shownPly < state.history.length) on.scrollIntoView({ block: "nearest" });
  else if (atEnd || shownPly === state.history.length) root.scrollTop = root.scrollHeight;
}

const PLACEMENT = /^[a-z]\d+(,[a-z]\d+)*$/;
const [W, H, LEFT, BOTTOM] = [460, 300, 34, 26];

/** Both scores over the game. */
export function drawCurve(root, state, shownPly) {
  const played = state.history.findIndex((entry) => !PLACEMENT.test(entry.text));
  const points = [[0, 0], ...state.history.map((entry, i) => (played < 0 || i < played ? [0, 0] : entry.score))];
  const [last, highest] = [Math.max(points.length - 1, 1), Math.max(4, ...points.flat())];
  const lowest = Math.min(0, ...points.flat());
  const x = (ply) => LEFT + (ply / last) * (W - LEFT - 40);
  const y = (score) => H - BOTTOM - ((score - lowest) / (highest - lowest)) * (H - BOTTOM - 14);
  const line = (i) => points.map((p, ply) => `${ply ? "L" : "M"}${x(ply).toFixed(1)} ${y(p[i]).toFixed(1)}`).join("");
  const grid = [0, 0.25, 0.5, 0.75, 1].map((part) => Math.round(lowest + part * (highest - lowest)));
  const picture = svg("svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": `Score over the game: ${state.setup.players[0]} ${state.score[0]}, ${state.setup.players[1]} ${state.score[1]}` },
    [...new Set(grid)].map((score) => [svg("line", { class: "grid", x1: LEFT, x2: W - 40, y1: y(score), y2: y(score) }), svg("text", { x: LEFT - 6, y: y(score) + 4, "text-anchor": "end" }, String(score))]).flat(),
    svg("text", { x: W - 40, y: H - 6, "text-anchor": "end" }, `turn ${last}`),
    svg("line", { class: "now", x1: x(shownPly), x2: x(shownPly), y1: 8, y2: H - BOTTOM }),
    [0, 1].map((i) => [
      svg("path", { class: "plot", d: line(i), stroke: "var(--ink)", "stroke-width": 5, "stroke-opacity": 0.35 }),
      svg("path", { class: "plot", d: line(i), stroke: state.setup.colours[i], "stroke-dasharray": i ? "9 5" : null }),
      svg("text", { class: "end", x: x(last) + 6, y: y(points.at(-1)[i]) + 6 + (points.at(-1)[0] === points.at(-1)[1] ? i * 16 - 8 : 0) }, String(points.at(-1)[i])),
    ]).flat());
  const totals = areaTotals(state);
  put(root, picture, el("p", {}, totals));
}

function areaTotals(state) {
  return [1, 2].map((owner) => {
    const sizes = state.areas.filter(([o]) => o === owner).map(([, cells]) => cells.length).sort((a, b) => b - a);
    return `${state.setup.players[owner - 1]}: ${sizes.length ? `areas of ${sizes.join(" + ")}` : "no area"}. `;
  }).join("");
}

/** The camera picture, asked for about twice a second while it can be seen, and the evidence of a chosen turn. */
export class Camera {
  constructor(root) {
    this.root = root;
    this.image = el("img", { alt: "Camera picture with the reading drawn over it", hidden: true });
    this.words = el("figcaption", {}, "No camera picture.");
    this.proof = el("div", {});
    root.append(el("figure", {}, this.image, this.words), this.proof);
    this.image.addEventListener("load", () => this.later());
    this.image.addEventListener("error", () => { this.image.hidden = true; this.words.textContent = "No camera picture."; this.later(2500); });
    this.waiting = false;
  }

  /** Begin to ask, if the panel is open. */
  look() {
    if (this.waiting || this.root.hidden) return;
    this.waiting = true;
    this.image.src = `/api/picture.jpg?${Date.now()}`;
  }

  later(pause = 500) {
    if (this.image.naturalWidth) { this.image.hidden = false; this.words.textContent = "What the camera sees, with the reading drawn over it."; }
    setTimeout(() => { this.waiting = false; if (!document.hidden) this.look(); }, pause);
  }

  /** The pictures kept of the board before and after a turn. */
  evidence(ply) {
    if (this.shown === ply) return;
    this.shown = ply;
    put(this.proof, ...(ply ? [["before", ply - 1], ["after", ply]] : []).map(([moment, number]) => {
      const image = el("img", { src: `/api/evidence/${number}.jpg`, alt: `The board ${moment} turn ${ply}` });
      const figure = el("figure", { hidden: true }, image, el("figcaption", {}, `Kept picture: ${moment} turn ${ply}`));
      image.addEventListener("load", () => { figure.hidden = false; });
      return figure;
    }));
  }
}
