"""What is table by its colours: which way does a board lie, and does it end where it should?

Ways that fit its lattice about as well differ in a lake, or in a corner that is missing.
A lake of a cell or two has the sides of the cells about it, so it looks like a cell to who only sees outlines. But the
table shows in it, as it does beside the board.
"""

from dataclasses import replace

import numpy as np

from engine.board import Board
from vision.arrays import Floats, Ints
from vision.finding.place import Evidence, Look, Placement, ring_of, turn_cells
from vision.hexagons import AXIAL_TO_PLANE, SIX
from vision.picture import Picture

#: Ways to lay the board are compared that score less than the best by this at most.
_NEARLY = 4.0
#: How far off the same colour is (0–255, the root of the sum of squares), and how often it is something else.
_SPREAD, _ELSE = 14.0, 0.01
#: Where a site's colours are taken, in distances between cells: so many places in a circle, sunflower-wise.
_RADIUS, _COUNT = 0.48, 40
#: So many pixels tell what the table looks like, and what the board does.
_MOST_PIXELS = 600
#: How much colours (a site's log-odds) count beside outlines.
_WEIGHT = 1.0
#: Sites and corners with larger log-odds surely have the colours of the table; a board ends where so many of those
#: beside it have.
_SURELY_TABLE, _MOSTLY = 1.0, 0.5


def _sunflower() -> Floats:
    number = np.arange(_COUNT) + 0.5
    radius, turn = _RADIUS * np.sqrt(number / _COUNT), np.pi * (1 + np.sqrt(5)) * number
    return np.stack([radius * np.cos(turn), radius * np.sin(turn)], axis=1)


_PLACES = _sunflower()
#: Places near each of a cell's six corners, between its neighbours in `SIX` and the next ones, in distances between
#: cells: a disk does not reach there.
_NEAR_CORNERS = ((SIX + np.roll(SIX, -1, axis=0)) / 3 @ AXIAL_TO_PLANE)[:, None] * np.array([[0.9], [0.95]])


def told_apart(board: Board, ways: list[Placement], evidence: Evidence, image: Picture) -> list[Placement]:
    """Ways to lay a board that fit about as well, the best first, by what colours say of them, too.

    `ways`: the best first; `evidence` covers the sites about them, and others are not thought of.
    """
    size = np.array(evidence.likeness.shape)
    shapes = {way: turn_cells(np.array(board.cells, dtype=np.intp), way.turns) + way.offset for way in ways}
    near = [way for way in ways if _within(shapes[way], evidence.origin, size).all()]
    near = [way for way in near if way.score > near[0].score - _NEARLY]
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
    told = [replace(way, score=float(score)) for way, score in zip(near, scores, strict=True)]
    return sorted(told, key=lambda way: -way.score)


def by_colours(shape: Ints, look: Look, evidence: Evidence, image: Picture) -> Look:
    """How a shape (N, 2) looks where a table has lines and spots of its own, as grained wood and cloths have, or spare
    disks lie beside the board: sites beside it do not look like cells where they surely have the table's colours. Where
    most of their corners away from it have, the board ends there: sites with such corners are none, and cells that look
    more like the others than like the table are not absent.

    `evidence` must cover the sites beside the shape and those beyond.
    """
    beside = ring_of(shape)
    beyond = ring_of(np.concatenate([shape, beside]))
    beyond = beyond[_within(beyond, evidence.origin, np.array(evidence.likeness.shape))]
    odds = _like_table(image, evidence, np.concatenate([beside, shape]), beyond, shape[~look.absent])
    table = odds[: len(beside)] > _SURELY_TABLE
    ends = _ends_like_table(image, evidence, beside, beyond, shape) > _SURELY_TABLE
    absent = look.absent
    if ends.mean() > _MOSTLY:
        table, absent = table | ends, absent & (odds[len(beside) :] > 0)
    outside, filled = (
        np.where(table, 0.0, np.nan_to_num(part[tuple((beside - evidence.origin).T)], nan=0.0)).mean()
        for part in (evidence.likeness, evidence.filled)
    )
    return Look(look.inside, float(outside), float(filled), absent)


def _within(sites: Ints, origin: Ints, size: Ints) -> np.ndarray:
    """Which sites (n, 2) of a lattice evidence of such a size covers."""
    return np.asarray(((sites >= origin) & (sites < origin + size)).all(axis=1))


def _like_table(image: Picture, evidence: Evidence, asked: Ints, beside: Ints, cells: Ints) -> Floats:
    """Log-odds (n,) that sites look like those beside the board rather than like its cells."""
    colours = _colours(image, evidence, _PLACES)
    of, table, board = (colours[tuple((sites - evidence.origin).T)] for sites in (asked, beside, cells))
    return np.asarray(_table_or_board(of, table, board).mean(axis=1))


def _ends_like_table(image: Picture, evidence: Evidence, beside: Ints, beyond: Ints, shape: Ints) -> Floats:
    """Log-odds (n,) that the corners of sites `beside` a shape that are not its cells' look like the sites `beyond`
    rather than like corners between its cells: a disk that lies there does not hide the table about it. 0 where the
    shape has no corners between its cells, or a site none away from it."""
    ours = np.zeros(evidence.likeness.shape, dtype=bool)
    ours[tuple((shape - evidence.origin).T)] = True
    side = np.stack([np.roll(ours, (-q, -r), axis=(0, 1)) for q, r in SIX.tolist()], axis=2)
    other = np.roll(side, -1, axis=2)
    between = ours[..., None] & side & other
    if not between.any():
        return np.zeros(len(beside))
    corners = _colours(image, evidence, _NEAR_CORNERS.reshape(-1, 2)).reshape(*side.shape, -1, 3)
    table = _colours(image, evidence, _PLACES)[tuple((beyond - evidence.origin).T)]
    at = tuple((beside - evidence.origin).T)
    odds = _table_or_board(corners[at].reshape(len(beside), -1, 3), table, corners[between])
    free = ~(side | other)[at]
    return np.asarray((odds.reshape(*free.shape, -1).mean(axis=2) * free).sum(axis=1) / np.maximum(free.sum(axis=1), 1))


def _table_or_board(colours: Floats, table: Floats, board: Floats) -> Floats:
    """Log-odds (n, m) that colours (n, m, 3) are the table's rather than the board's; some (…, 3) of each are given."""
    table, board = (_some(part.reshape(-1, 3)) for part in (table, board))
    return np.asarray(np.log(_alike(colours, table)) - np.log(_alike(colours, board)))


def _colours(image: Picture, evidence: Evidence, places: Floats) -> Floats:
    """The colours (Q, R, places, 3) of all sites at places (m, 2) about their middles, in distances between cells."""
    by_q, by_r = (np.asarray(np.gradient(evidence.pixels, axis=axis)) for axis in (0, 1))
    off = places @ np.linalg.inv(AXIAL_TO_PLANE)
    pixels = evidence.pixels[:, :, None] + by_q[:, :, None] * off[:, :1] + by_r[:, :, None] * off[:, 1:]
    limit = np.array([image.shape[1] - 1, image.shape[0] - 1])
    x, y = np.moveaxis(np.clip(np.nan_to_num(pixels), 0, limit).round().astype(int), -1, 0)
    return np.asarray(image[y, x], dtype=np.float64)


def _alike(colours: Floats, others: Floats) -> Floats:
    """How often such colours (n, m, 3) are found among others (k, 3), (n, m)."""
    apart = (colours**2).sum(axis=2)[..., None] + (others**2).sum(axis=1) - 2 * colours @ others.T
    return np.asarray(np.exp(-0.5 * apart / _SPREAD**2).mean(axis=2) + _ELSE)


def _some(colours: Floats) -> Floats:
    """A few of many colours (n, 3), evenly."""
    return colours[:: -(-len(colours) // _MOST_PIXELS)]
