"""Which way does a board lie? Ways that fit its lattice about as well differ in a lake, or in a corner that is missing.

A lake of a cell or two has the sides of the cells about it, so it looks like a cell to who only sees outlines. But the
table shows in it, as it does beside the board.
"""

import numpy as np

from engine.board import Board
from vision.geometry import Floats
from vision.lattice import Ints
from vision.picture import Picture
from vision.place import Evidence, Placement, colours_about, ring_of, turn_cells

#: Ways to lay the board are compared that score less than the best by this at most.
_NEARLY = 4.0
#: How far off the same colour is (0–255, the root of the sum of squares), and how often it is something else.
_SPREAD, _ELSE = 14.0, 0.01
#: So many pixels tell what the table looks like, and what the board does.
_MOST_PIXELS = 600
#: How much colours (a site's log-odds) count beside outlines.
_WEIGHT = 1.0


def told_apart(board: Board, ways: list[Placement], evidence: Evidence, image: Picture) -> list[Placement]:
    """Those ways to lay a board that fit best when colours are asked, too: all that are equally good.

    `ways`: the best first; `evidence` covers the sites about them, and others are not thought of.
    """
    size = np.array(evidence.likeness.shape)
    shapes = {way: turn_cells(np.array(board.cells, dtype=np.intp), way.turns) + way.offset for way in ways}
    near = [w for w in ways if w.score > ways[0].score - _NEARLY and _within(shapes[w], evidence.origin, size).all()]
    sites = [{(int(q), int(r)) for q, r in shapes[way]} for way in near]
    sure = set.intersection(*sites) if sites else set()
    doubtful = sorted(set().union(*sites) - sure)
    scores = np.array([way.score for way in near])
    if sure and doubtful:
        cells, asked = np.array(sorted(sure)), np.array(doubtful)
        beside = ring_of(np.concatenate([cells, asked]))
        beside = beside[_within(beside, evidence.origin, size)]
        left_out = np.array([[site not in shape for site in doubtful] for shape in sites])
        scores += _WEIGHT * (left_out @ _like_table(image, evidence, asked, beside, cells))
    return [way for way, score in zip(near, scores, strict=True) if score > scores.max() - 1e-6]


def _within(sites: Ints, origin: Ints, size: Ints) -> np.ndarray:
    """Which sites (n, 2) of a lattice evidence of such a size covers."""
    return np.asarray(((sites >= origin) & (sites < origin + size)).all(axis=1))


def _like_table(image: Picture, evidence: Evidence, asked: Ints, beside: Ints, cells: Ints) -> Floats:
    """Log-odds (n,) that sites look like those beside the board rather than like its cells."""
    places = [evidence.pixels[tuple((sites - evidence.origin).T)] for sites in (asked, beside, cells)]
    spread_px = float(np.median(np.hypot(*(places[2] - np.roll(places[2], 1, axis=0)).T)))
    colours = [colours_about(image, pixels, spread_px) for pixels in places]
    table, board = (_some(part.reshape(-1, 3)) for part in colours[1:])
    return np.asarray((np.log(_alike(colours[0], table)) - np.log(_alike(colours[0], board))).mean(axis=1))


def _alike(colours: Floats, others: Floats) -> Floats:
    """How often such colours (n, m, 3) are found among others (k, 3), (n, m)."""
    apart = (colours**2).sum(axis=2)[..., None] + (others**2).sum(axis=1) - 2 * colours @ others.T
    return np.asarray(np.exp(-0.5 * apart / _SPREAD**2).mean(axis=2) + _ELSE)


def _some(colours: Floats) -> Floats:
    """A few of many colours (n, 3), evenly."""
    return colours[:: -(-len(colours) // _MOST_PIXELS)]
