// The overlay for streaming software: board, score and alarms on a transparent ground.
import { Board } from "./board.js";
import { follow } from "./feed.js";
import { drawNotices } from "./notices.js";
import { ScoreBar } from "./score.js";

const board = new Board(document.getElementById("board"));
const bar = new ScoreBar();

follow({
  game(state) {
    document.body.hidden = state.phase === "none";
    if (state.phase === "none") return;
    bar.draw(state);
    drawNotices(document.getElementById("notices"), state, null);
    const move = /^([a-z]\d+)(?::\d+)?-([a-z]\d+)$/.exec(state.history.at(-1)?.text ?? "");
    const index = (name) => state.board.names.indexOf(name);
    board.draw({
      board: state.board, turn: state.status.turn, colours: state.setup.colours, faces: state.setup.faces, cells: state.cells, areas: state.areas, last: state.last, lifted: state.lifted,
      arrow: move && [index(move[1]), index(move[2])], alarm: state.alarm ? [state.alarm.from, state.alarm.to].filter((i) => i !== null) : [],
      reminders: state.reminders.map((reminder) => reminder.cell),
    });
  },
});
