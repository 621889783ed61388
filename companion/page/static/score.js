// The bar at the top: who plays, whose turn it is, the score and the clock.
import { clockText } from "./make.js";

const ENDS = { passes: "both passed", threefold: "third repetition", resignation: "resignation", agreement: "agreed", throne: "the Throne is taken", time: "on time" };

/** Whose turn it is, or how the game ended, in a few words. */
export function turnText(state) {
  const { players } = state.setup;
  if (state.phase === "over") {
    const winner = state.outcome?.winner;
    const result = winner ? `${players[winner - 1]} wins` : state.outcome ? "Drawn" : "The game has ended";
    const why = ENDS[state.outcome?.end];
    return why ? `${result}: ${why}` : result;
  }
  if (state.phase === "looking") return "Looking for the board";
  if (state.phase === "paused") return "Paused";
  const name = players[state.player - 1];
  return state.phase === "placement" ? `${name} sets men` : `${name} to move`;
}

export class ScoreBar {
  constructor() {
    this.sides = [1, 2].map((n) => document.getElementById(`side${n}`));
    this.whose = document.getElementById("whose");
    this.clock = null;
    setInterval(() => this.tick(), 200);
  }

  draw(state) {
    this.sides.forEach((side, i) => {
      side.querySelector(".name").textContent = state.setup.players[i];
      side.querySelector(".man").style.setProperty("--man", state.setup.colours[i]);
      side.querySelector(".score").textContent = state.score[i];
      const turn = ["placement", "play"].includes(state.phase) && state.player === i + 1;
      side.classList.toggle("turn", turn || (state.phase === "over" && state.outcome?.winner === i + 1));
      side.setAttribute("aria-current", turn ? "true" : "false");
    });
    this.whose.textContent = turnText(state);
    const ticking = ["placement", "play"].includes(state.phase) && state.eye !== "lost";
    this.clock = state.clock && { ...state.clock, since: performance.now(), ticking };
    this.tick();
  }

  /** The clock goes on by itself between two states. */
  tick() {
    this.sides.forEach((side, i) => {
      const shown = side.querySelector(".clock");
      shown.hidden = !this.clock;
      if (!this.clock) return;
      const runs = this.clock.running === i + 1 && this.clock.ticking;
      const left = this.clock.left[i] - (runs ? (performance.now() - this.clock.since) / 1000 : 0);
      shown.textContent = left > 0 ? clockText(left) : "time!";
      shown.classList.toggle("low", left < 30);
      shown.setAttribute("aria-label", `time left ${clockText(left)}`);
    });
  }
}
