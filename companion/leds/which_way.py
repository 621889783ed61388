"""Which way round a board lies that looks the same in several: asked of its lights, before a game begins on it.

LEDs are wired one way round, while a camera without markers takes a hexagon as it lies in the picture. A sixth of the
board is lit, and the cells that become brighter tell. Meanwhile the eye is given no frame, so that it learns the table
as it looks without that light.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from companion.game.session import Session
from companion.leds.lighting import Lighting
from engine.layout import Layout
from hardware.link import LinkState
from vision.eye import Eye
from vision.finding.turning import CellLights, a_sixth_of, lit_turn, turns_of
from vision.frame import Frame
from vision.sights import Found, Sight, Still

#: Lights that were switched must show in so long.
_SHOWS_S = 3.0
#: So often it is asked where no answer is clear, and so long after.
_TRIES, _AGAIN_S = 2, 2.0
_UNSEEN = "the camera does not see which way round they lie; it would with more brightness, or with markers"


@dataclass(slots=True)
class _Question:
    """One that is being asked: what was seen before and is not yet told, and how it stands since `since_s`.

    `before`: the brightness of the cells before any was lit. `turn`: what the newest frame answers. `dark`: it was
    clear, and the lights are off again.
    """

    held: Sequence[Sight]
    since_s: float
    cells: CellLights | None = None
    before: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    turn: int | None = None
    dark: bool = False


class WhichWay:
    """Asks the lights whenever a board is found while the game does not know what stands on it.

    `look` stands in for the eye's `step`.
    """

    def __init__(self, lighting: Lighting, layout: Layout) -> None:
        self._lighting, self._layout = lighting, layout
        self._sixth = a_sixth_of(layout)
        self._tries_left = self._tries = _TRIES if lighting.can_ask and turns_of(layout) else 0
        self._next_s = float("-inf")
        self._question: _Question | None = None

    def look(self, frame: Frame, eye: Eye, session: Session) -> Sequence[Sight]:
        """What a frame brings; nothing while the lights are asked."""
        question = self._question
        if question is not None and not frame.trouble:
            return self._go_on(question, frame, eye)
        if question is not None:
            return [*self._end(question, frame), *eye.step(frame)]
        sights = eye.step(frame)
        new = any(isinstance(sight, Found) for sight in sights)
        if new:
            self._tries_left = self._tries
        if not self._wants(frame, eye, session, new):
            return sights
        self._question = _Question(sights, frame.t_s)
        self._lighting.point_at(())
        return []

    def _wants(self, frame: Frame, eye: Eye, session: Session, new: bool) -> bool:
        """Whether to ask now: when the board has just been found and read, or later while men are placed."""
        if not self._tries_left or frame.t_s < self._next_s or eye.found is None or eye.found.markers_used:
            return False
        lit = self._lighting.status.state in (LinkState.CONNECTED, LinkState.NO_ANSWER)
        return lit and session.state.phase in (("looking", "placement") if new else ("placement",))

    def _go_on(self, question: _Question, frame: Frame, eye: Eye) -> Sequence[Sight]:
        if question.cells is None:
            self._light_up(question, frame, eye)
            return []
        turn = lit_turn(self._layout, question.cells.levels(frame.image) - question.before, self._sixth)
        if question.dark and turn != question.turn:
            return self._end(question, frame, eye)
        if frame.t_s - question.since_s > _SHOWS_S:
            self._tries_left -= 1
            self._next_s = frame.t_s + _AGAIN_S
            self._lighting.remark = _UNSEEN
            return self._end(question, frame)
        if not question.dark:
            if turn is not None and turn == question.turn:  # seen twice
                question.dark, question.since_s = True, frame.t_s
                self._lighting.point_at(())
            question.turn = turn
        return []

    def _light_up(self, question: _Question, frame: Frame, eye: Eye) -> None:
        """Remember how bright the cells are, and light a sixth of them."""
        if eye.found is None:
            return
        height_px, width_px = frame.image.shape[:2]
        question.cells = CellLights(eye.found.pose, self._layout, width_px, height_px)
        question.before, question.since_s = question.cells.levels(frame.image), frame.t_s
        self._lighting.point_at(self._sixth)

    def _end(self, question: _Question, frame: Frame, eye: Eye | None = None) -> Sequence[Sight]:
        """Let the lights go on, and tell what was held back; `eye`: it is to take the board as the answer says."""
        self._question = None
        self._lighting.point_at(None)
        if eye is None or question.turn is None:
            return question.held
        self._tries_left, self._lighting.remark = 0, ""
        turned = eye.turn(question.turn, frame) if question.turn else []
        if not turned:
            return question.held
        found = any(isinstance(sight, Found) for sight in question.held)
        kept = [sight for sight in question.held if not isinstance(sight, Found | Still)]
        return [*kept, *(sight for sight in turned if found or not isinstance(sight, Found))]
