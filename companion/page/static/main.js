// The page: follows the game, draws it, and sends what players press.
import { Board } from "./board.js";
import { finishDialog, newGameDialog, takeBackDialog, tell } from "./dialogs.js";
import { ask, follow, send } from "./feed.js";
import { drawNotices } from "./notices.js";
import { Camera, drawCurve, drawMoves } from "./panel.js";
import { ScoreBar } from "./score.js";
import { Speech } from "./speech.js";
import { CellTray, MoveTray } from "./tray.js";
import { el } from "./make.js";

const $ = (id) => document.getElementById(id);
const keep = (name, value) => localStorage.setItem(name, value ? "1" : "0");
const kept = (name, otherwise) => (localStorage.getItem(name) ?? (otherwise ? "1" : "0")) === "1";

/** How far the board is turned on the page: as the camera sees it, and as somebody turned it. */
const turnOf = (state) => ((state.status.turn ?? 0) + Number(localStorage.getItem("turn") ?? 0)) % 6;

/** Differences between table and game are shown when they have stood for so long: turns are made of differences. */
const STANDING_MS = 2500;

class Page {
  constructor() {
    this.state = null;
    this.connected = true;
    this.shown = null; // the position stepped to; null is the newest
    this.spectator = location.pathname === "/spectator";
    this.board = new Board($("board"), (i) => this.tray?.press(this.state.board.names[i]));
    this.bar = new ScoreBar();
    this.camera = new Camera($("camera"));
    this.speech = new Speech();
    this.moveTray = new MoveTray($("tray"), this);
    this.cellTray = new CellTray($("tray"), this);
    this.positions = new Map();
    this.awaited = []; // what was done and does not show yet
    follow({ game: (state) => this.take(state), happened: (event) => this.happened(event), link: (up) => { this.connected = up; this.chips(); } });
  }

  get tray() { return [this.moveTray, this.cellTray].find((tray) => tray.active) ?? null; }

  /** The newest state of the game. */
  take(state) {
    if (this.state?.gameId !== state.gameId) this.forget();
    if (state.history && JSON.stringify(state.history) !== JSON.stringify(this.state?.history)) this.positions.clear();
    if (state.phase === "looking" && !state.status.camera) state.phase = "placement";
    this.state = state;
    this.connected = true;
    this.holdBack(state);
    if (this.shown && this.shown.ply > state.history.length) this.shown = null;
    this.redraw();
    const shows = ({ game, seq }) => game !== state.gameId || seq <= state.seq;
    this.awaited.filter(shows).forEach(({ done }) => done());
    this.awaited = this.awaited.filter((one) => !shows(one));
  }

  /** Until the page shows an event of this game, or another game. */
  async reached(game, seq) {
    if (this.state.gameId === game && this.state.seq < seq) await new Promise((done) => this.awaited.push({ game, seq, done }));
  }

  holdBack(state) {
    if (!state.differences?.length) { this.differs = null; return; }
    const key = JSON.stringify(state.differences);
    if (this.differs?.key !== key) {
      this.differs = { key, since: performance.now() };
      setTimeout(() => this.redraw(), STANDING_MS + 50);
    }
  }

  /** The differences that have stood long enough. */
  get differences() {
    return this.differs && performance.now() - this.differs.since >= STANDING_MS ? this.state.differences : [];
  }

  forget() {
    this.shown = null;
    this.positions.clear();
    this.tray?.close();
  }

  happened(event) {
    if (event.text) $("said").textContent = event.text;
    this.speech.event(event);
  }

  redraw() {
    const state = this.state;
    const none = state.phase === "none";
    $("welcome").hidden = !none;
    document.body.classList.toggle("idle", none);
    for (const id of ["board", "notices"]) $(id).toggleAttribute("hidden", none);
    document.querySelector(".stepper").hidden = none || !state.history?.length;
    this.chips();
    this.buttons();
    if (none) { $("notices").replaceChildren(); return; }
    $("title").textContent = [state.setup.title, state.setup.rules, state.board.name].filter(Boolean).join(" · ");
    document.title = `${state.score.join(" : ")} · ${state.setup.title}`;
    this.bar.draw(state);
    drawNotices($("notices"), { ...state, differences: this.differences }, this.spectator ? null : (body) => this.act(body));
    this.drawBoard();
    const ply = this.shown?.ply ?? state.history.length;
    this.stepper(ply);
    if (!$("moves").hidden) drawMoves($("moves"), state, ply, (wanted) => this.step(wanted));
    if (!$("curve").hidden) drawCurve($("curve"), state, ply);
    this.camera.evidence($("camera").hidden ? null : this.shown?.ply);
    this.camera.look();
  }

  drawBoard() {
    const { state, shown } = this;
    const index = (name) => state.board.names.indexOf(name);
    const live = !shown;
    const view = { board: state.board, colours: state.setup.colours, faces: state.setup.faces, players: state.setup.players, turn: turnOf(state), ...(shown ?? { cells: state.cells, last: state.last, areas: state.areas }) };
    const text = shown ? shown.text : state.history.at(-1)?.text;
    const move = /^([a-z]\d+)(?::\d+)?-([a-z]\d+)$/.exec(text ?? "");
    if (move) view.arrow = [index(move[1]), index(move[2])];
    if (!kept("show-areas", true)) view.areas = null;
    if (live) {
      Object.assign(view, this.tray?.marks(index) ?? {});
      if (this.tray) view.arrow = null;
      view.reminders = state.reminders.map((r) => r.cell);
      view.lifted = state.lifted;
      view.alarm = state.alarm ? [state.alarm.from, state.alarm.to].filter((i) => i !== null) : [];
      view.differences = state.alarm || state.pending ? [] : this.differences.map((d) => d.cell);
    }
    $("board").classList.toggle("names", kept("show-names", true));
    this.board.draw(view);
  }

  chips() {
    const state = this.state;
    if (!state) return;
    const chips = [];
    if (!this.connected) chips.push(["connection lost, trying again", true]);
    if (state.status.camera) chips.push([state.status.camera, state.status.cameraBad]);
    if (state.status.lights) chips.push([state.status.lights, state.status.lightsBad]);
    $("chips").replaceChildren(...chips.map(([text, bad]) => el("span", { class: bad ? "bad" : "" }, text)));
  }

  buttons() {
    const { phase } = this.state;
    const playing = ["placement", "play"].includes(phase);
    const can = { pass: phase === "play", enter: playing, "take-back": this.state.history?.length > 0, pause: playing || phase === "paused", "set-cell": playing || phase === "paused", finish: playing, "new-game": this.state.status.canStart };
    for (const button of document.querySelectorAll(".actions [data-do]")) {
      button.disabled = !can[button.dataset.do];
      if (button.dataset.do === "pause") button.textContent = phase === "paused" ? "Go on" : "Pause";
      if (button.dataset.do === "new-game") button.hidden = !can["new-game"];
    }
  }

  /** Send a request; true when it was done and shows. */
  async act(body) {
    const { gameId, history } = this.state;
    try {
      const { seq } = await send("/api/act", { after: history.length, ...body });
      await this.reached(gameId, seq);
      return true;
    } catch (error) { tell(error.message); return false; }
  }

  do(what) {
    const button = document.querySelector(`.actions [data-do="${what}"]`);
    if (this.spectator || (button && button.disabled)) return;
    if (this.tray && ["enter", "set-cell"].includes(what)) { this.tray.close(); return; }
    if (["enter", "set-cell"].includes(what)) { this.shown = null; }
    ({
      pass: () => this.act({ do: "pass" }),
      enter: () => this.moveTray.open().catch((error) => tell(error.message)),
      "take-back": () => takeBackDialog(this.state, (body) => this.act(body)),
      pause: () => this.act({ do: this.state.phase === "paused" ? "go-on" : "pause" }),
      "set-cell": () => this.cellTray.open(),
      finish: () => finishDialog(this.state, (body) => this.act(body)),
      "new-game": () => newGameDialog().catch((error) => tell(error.message)),
    })[what]?.();
  }

  choosing(on) { this.board.choosable(on); }

  stepper(ply) {
    const last = this.state.history.length;
    const slider = $("ply");
    slider.max = last;
    slider.value = ply;
    slider.setAttribute("aria-valuetext", `turn ${ply} of ${last}`);
    $("plylabel").textContent = `turn ${ply} of ${last}`;
    document.querySelector(".stepper .live").classList.toggle("on", !this.shown);
  }

  /** Show the board after a turn; the last one is the live board. */
  async step(ply) {
    const last = this.state.history?.length ?? 0;
    const wanted = Math.max(0, Math.min(last, ply));
    if (wanted === last) this.shown = null;
    else {
      if (!this.positions.has(wanted)) this.positions.set(wanted, await ask(`/api/ply/${wanted}`).catch((error) => { tell(error.message); return null; }));
      this.shown = this.positions.get(wanted);
      if (!this.shown) this.positions.delete(wanted);
    }
    this.redraw();
  }
}

function tabs(page) {
  const all = [...document.querySelectorAll(".tabs [role=tab]")];
  const open = (tab) => {
    for (const other of all) {
      other.setAttribute("aria-selected", other === tab);
      other.tabIndex = other === tab ? 0 : -1;
      $(other.getAttribute("aria-controls")).hidden = other !== tab;
    }
    if (page.state) page.redraw();
    if (tab.id === "tab-setup") import("./setup.js").then((module) => module.open($("setup"), () => page.state));
  };
  all.forEach((tab) => {
    tab.addEventListener("click", () => open(tab));
    tab.addEventListener("keydown", (event) => {
      const seen = all.filter((t) => t.offsetParent);
      const to = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!to) return;
      event.preventDefault();
      event.stopPropagation();
      const next = seen[(seen.indexOf(tab) + to + seen.length) % seen.length];
      open(next);
      next.focus();
    });
  });
}

function switches(page) {
  for (const id of ["show-areas", "show-names"]) {
    $(id).checked = kept(id, true);
    $(id).addEventListener("change", () => { keep(id, $(id).checked); if (page.state) page.redraw(); });
  }
  $("turn-board").addEventListener("click", () => {
    localStorage.setItem("turn", (Number(localStorage.getItem("turn") ?? 0) + 1) % 6);
    if (page.state) page.redraw();
  });
  $("speak").checked = page.speech.on;
  $("speak").addEventListener("change", () => page.speech.set($("speak").checked));
  $("theme").value = localStorage.getItem("theme") ?? "";
  const theme = () => { document.documentElement.dataset.theme = $("theme").value; localStorage.setItem("theme", $("theme").value); };
  $("theme").addEventListener("change", theme);
  theme();
}

function keys(page) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !page.state || $("dialog").open) return;
    if (event.key === "Escape" && page.tray) { page.tray.close(); return; }
    if (event.target.matches("input:not([type=range]), select, textarea")) return;
    if (event.key === " " && event.target.matches("button, a, summary, [role=button], [type=range]")) return;
    const ply = page.shown?.ply ?? page.state.history?.length ?? 0;
    const act = {
      ArrowLeft: () => page.step(ply - 1), ArrowRight: () => page.step(ply + 1), Home: () => page.step(0), End: () => page.step(Infinity),
      p: () => page.do("pass"), e: () => page.do("enter"), t: () => page.do("take-back"), c: () => page.do("set-cell"), f: () => page.do("finish"), n: () => page.do("new-game"), " ": () => page.do("pause"),
      a: () => $("show-areas").click(), s: () => $("speak").click(),
    }[event.key];
    if (act && page.state.phase !== "none") { event.preventDefault(); act(); }
  });
}

function flower() {
  const cells = [[0, 0], [1, 0], [1, -1], [0, -1], [-1, 0], [-1, 1], [0, 1]];
  const looks = [["dark", 0, 0], ["bare", 2, 1], ["beige", 0, 0], ["bare", 0, 0], ["beige", 1, 2], ["beige", 0, 0], ["bare", 1, 1]];
  new Board(document.querySelector(".flower")).draw({ board: { cells, names: cells.map(() => "") }, colours: ["#b02026", "#582a78"], cells: looks });
}

async function start() {
  const page = new Page();
  tabs(page);
  switches(page);
  keys(page);
  flower();
  for (const button of document.querySelectorAll("[data-do]")) button.addEventListener("click", () => page.do(button.dataset.do));
  const steps = { first: () => 0, back: (p) => p - 1, on: (p) => p + 1, live: () => Infinity };
  for (const button of document.querySelectorAll("[data-step]")) {
    button.addEventListener("click", () => page.step(steps[button.dataset.step](page.shown?.ply ?? page.state.history.length)));
  }
  $("ply").addEventListener("input", () => page.step(Number($("ply").value)));
  const me = await ask("/api/me");
  page.spectator ||= me.role === "spectator";
  document.body.classList.toggle("spectator", page.spectator);
  if (me.link && !page.spectator) { $("qr").hidden = false; $("qr").querySelector("img").src = "/api/qr.svg"; }
  if (page.state) page.redraw();
}

start();
