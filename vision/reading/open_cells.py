"""What surely lies open on the cells of a board, and what it looks like."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from engine.look import SURFACES, Surface
from vision.arrays import Floats, Singles
from vision.networks.net import FootBelief
from vision.palette import Colour
from vision.picture import Picture
from vision.reading.table_model import TableModel
from vision.surfaces.foot_colours import AS_BRIGHT, MIDDLE
from vision.surfaces.which_disks import have_common_colours, light_rather_than_dark, lighter_than_others

#: Cells show what a surface looks like that are open with such log-odds at most, and of that surface so surely.
SURELY_OPEN, _SURELY_THIS = -2.0, 0.9
#: Dark disks have less of the light than this part of light ones.
_DARK_AGAINST_LIGHT = 0.6
#: Such log-odds make beige disks dark ones, or dark ones beige.
_OTHER_KIND = 2.0
#: Below such log-odds by the board disks beside it are asked, too.
_HARDLY_TOLD = 5.0
_BARE, _BEIGE, _DARK = (SURFACES.index(kind) for kind in (Surface.BARE, Surface.BEIGE, Surface.DARK))

#: Looks for what lies beside the board when it is asked: the colours of what seem to be disks, (n, 3), that of what is
#: bright there, (3,), and that of the board between its disks, (3,), NaN where that is not to be seen.
Beside = Callable[[], tuple[Singles, Singles, Singles]]


def nothing() -> tuple[Singles, Singles, Singles]:
    """No disks lie beside the board, nothing is bright, and nothing shows between disks."""
    return np.zeros((0, 3), np.float32), np.zeros(3, np.float32), np.full(3, np.nan, np.float32)


def open_light_disks(foot: FootBelief, table: TableModel, feet: Picture, beside: Beside = nothing) -> NDArray[np.bool_]:
    """On which cells beige or light disks surely lie open, (n,)."""
    return np.isin(_open_kinds(foot, table, feet, beside), [_BEIGE, SURFACES.index(Surface.LIGHT)])


def surface_colours(feet: Picture, foot: FootBelief, table: TableModel, beside: Beside = nothing) -> Floats:
    """What surfaces look like in the middle of open cells, (4, 3); NaN for those of which no cell is surely one.

    Nothing is said of boards without disks: their fields have colours of many kinds. What is taken for dark disks but
    is about as bright as beige ones, or brighter, are beige ones nearer to the lamp.
    """
    middles = middles_of(feet)
    kinds = _open_kinds(foot, table, feet, beside)
    colours = np.full((len(SURFACES), 3), np.nan)

    def look(kind: int) -> None:
        if (kinds == kind).any():
            colours[kind] = np.median(table.light.relative(middles[kinds == kind]), axis=0)

    for kind in range(len(SURFACES) if table.has_disks else 0):
        look(kind)
    if colours[_DARK].sum() > AS_BRIGHT * colours[_BEIGE].sum():
        kinds[kinds == _DARK] = _BEIGE
        colours[_DARK] = np.nan
        look(_BEIGE)
    return colours


def middles_of(feet: Picture) -> Singles:
    """The median colour (n, 3) of the middle of each foot."""
    middles: Singles = np.median(feet[:, *MIDDLE].reshape(len(feet), -1, 3), axis=1).astype(np.float32)
    return middles


def _open_kinds(foot: FootBelief, table: TableModel, feet: Picture, beside: Beside) -> NDArray[np.int_]:
    """Which of `SURFACES` surely lies open on each cell, (n,), or −1."""
    odds = table.possible(foot.surface)
    sure = odds.max(axis=1) - np.logaddexp.reduce(odds, axis=1) > np.log(_SURELY_THIS)
    kinds = np.where((foot.occupied < SURELY_OPEN) & sure, np.argmax(odds, axis=1), -1)
    show_bare = bool((kinds == _BARE).any())
    if not table.has_disks or (not show_bare and have_common_colours(table.disk_names)):
        return kinds

    def seen_beside() -> tuple[Singles, Singles, Singles]:
        others, bright, between = (table.light.relative(seen) for seen in beside())
        return others, bright, between

    colours = table.light.relative(middles_of(feet)).astype(np.float64)
    bare = np.median(colours[kinds == _BARE], axis=0) if show_bare else seen_beside()[2].astype(np.float64)
    board = bare[None] if table.board is None else table.board.against(table.light)
    if np.isnan(board).any():
        return kinds
    return _told_by_others(kinds, colours, board, table.disk_names, seen_beside)


def _told_by_others(
    kinds: NDArray[np.int_], colours: Floats, board: Floats, named: tuple[Colour, Colour], beside: Beside
) -> NDArray[np.int_]:
    """The same kinds; but where all disks are taken for beige, or all for dark ones, those are the other kind of which
    the bare board around them says so, or where that is in doubt what lies `beside` the board does. `colours` (n, 3)
    against white; `board` (k, 3): of which colours that is; `named`: what light and dark disks are called.

    All are of one kind unless those that are light have clearly more light than the others.
    """
    disks = np.flatnonzero((kinds == _BEIGE) | (kinds == _DARK))
    if len(np.unique(kinds[disks])) != 1:
        return kinds
    odds = light_rather_than_dark(colours[disks], board, named)
    light = odds > 0
    groups = [np.median(colours[disks[some]], axis=0) for some in (light, ~light) if some.any()]
    if len(groups) == 1 or (groups[1] > _DARK_AGAINST_LIGHT * groups[0]).any():
        usual = np.median(colours[disks], axis=0)
        odds[:] = light_rather_than_dark(usual[None], board, named)
        if abs(odds[0]) < _HARDLY_TOLD:
            others, bright, _ = beside()
            odds += lighter_than_others(usual, others, bright)
    kinds[disks] = np.where(np.abs(odds) < _OTHER_KIND, kinds[disks], np.where(odds > 0, _BEIGE, _DARK))
    return kinds
