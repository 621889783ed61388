"""Spare men beside the board, singly or in piles: they are as thick as those on it, and seen more from the side."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats, Singles
from vision.finding.spares import spare_tops
from vision.networks.habit import height_px
from vision.networks.spare_net import TAUGHT, spare_net
from vision.reading.evidence import Shot, colours_of_middles, look_at_sides, uncovered_input, uncovered_rims
from vision.reading.table_model import TableModel
from vision.sampling import CellViews, column_maps, views_of_places

#: A round thing beside the board is a spare man when its rim looks as large as a man's (logarithm), no farther away
#: than this from where its outline is, and when no other one is as near as this, in diameters.
_SIZE, _MOVED, _SAME = 0.07, 0.15, 0.6
#: How strange its colour may be for a man (logarithm).
_STRANGE = 3.7
#: So often it is something else.
_NO_SPARE = 0.05
#: So much less the votes of all sides and of all piles count since they err together, and how much sides count beside
#: piles (found on rendered stills).
_SIDES_TEMPERATURE, _PILES_TEMPERATURE, _SIDES_BESIDE = 2.5, 2.0, 0.6
#: Piles tell nothing where a diameter of height is no more than so many pixels in the picture, and all they can from
#: the second on (of 545 piles those below 11 pixels said next to nothing that was true of their pictures).
_UNSEEN_PX, _SEEN_PX = 7.0, 14.0


@dataclass(frozen=True, slots=True)
class SpareMen:
    """Where n piles of spare men are: `middles_mm` (n, 2), where the middles of their tops appear to lie on the disks;
    `rise` (n,), how high above the disks the tops are by how large they look, in diameters; how they are seen."""

    middles_mm: Floats
    rise: Floats
    views: CellViews


def spare_men(shot: Shot, table: TableModel) -> SpareMen:
    """What is round, as large as a man and of a man's colour, on the board's plane or near it, but beside the board."""
    tops = spare_tops(shot.image, shot.pose, shot.layout, table.man_diameter_mm)
    if not len(tops):
        return SpareMen(tops, np.zeros(0), views_of_places(shot.pose, tops, shot.layout.pitch_mm))
    views = views_of_places(shot.pose, tops, shot.layout.pitch_mm)
    around = uncovered_rims(shot, table, views, tops, 0.0)
    size, middles = around.rims.size.likeliest(), around.middles_mm
    apart = np.linalg.norm(middles[:, None] - middles, axis=2) / table.man_diameter_mm
    again = np.triu(apart < _SAME, 1).any(axis=0)
    moved_by = np.linalg.norm(middles - tops, axis=1) / table.man_diameter_mm
    here = (np.abs(size) < _SIZE) & (moved_by < _MOVED)
    spares = np.flatnonzero(~again & here & _like_men(shot, table, middles))
    return SpareMen(middles[spares], around.rims.camera * -np.expm1(-size[spares]), views.of(spares))


def look_at_spares(shot: Shot, table: TableModel, ratios: Floats) -> Floats:
    """What spare men beside the board say of thicknesses `ratios` (G,) in diameters, log-likelihoods (G,): the sides of
    the topmost men, and how high piles are."""
    men = spare_men(shot, table)
    sides = sides_of_spares(shot, table, men, ratios)
    if not len(men.middles_mm) or ratios.min() < TAUGHT[0] or ratios.max() > TAUGHT[-1]:
        return sides
    columns, view = pictures_of_piles(shot, table, men)
    piles = spare_net().thicknesses(columns, view, ratios)
    seen = np.clip((height_px(view) - _UNSEEN_PX) / (_SEEN_PX - _UNSEEN_PX), 0, 1)
    return _SIDES_BESIDE * sides + _together(piles, _PILES_TEMPERATURE, seen)


def sides_of_spares(shot: Shot, table: TableModel, men: SpareMen, ratios: Floats) -> Floats:
    """What the sides of the topmost men say of thicknesses `ratios` (G,) in diameters, log-likelihoods (G,)."""
    sides = look_at_sides(shot, table, men.views, men.middles_mm, men.rise, ratios)
    return _together(sides, _SIDES_TEMPERATURE, np.ones(len(sides)))


def pictures_of_piles(shot: Shot, table: TableModel, men: SpareMen) -> tuple[Singles, Singles]:
    """Upright pictures that hang from the tops of piles, and how these are seen; see `SpareNet.thicknesses`."""
    place = table.disk_thickness_mm, table.man_diameter_mm
    views = views_of_places(shot.pose, men.middles_mm, shot.layout.pitch_mm)
    maps = column_maps(shot.pose, views, np.zeros((len(men.middles_mm), 2)), *place)
    return uncovered_input(shot, table, maps), table.strip_view(shot.pose, views, shot.layout.pitch_mm)


def _together(votes: Floats, temperature: float, counts: Floats) -> Floats:
    """What all say (n, G) together, (G,), each of whom may be no spare man and `counts` (n,) so much."""
    votes = votes - np.logaddexp.reduce(votes, axis=1, keepdims=True)
    told = np.logaddexp(votes + np.log(1 - _NO_SPARE), np.log(_NO_SPARE / votes.shape[1]))
    total: Floats = counts @ told / temperature
    return total


def _like_men(shot: Shot, table: TableModel, middles_mm: Floats) -> NDArray[np.bool_]:
    """Which of the tops whose middles appear to lie at places (n, 2) on the disks have the colour of a man."""
    colours = colours_of_middles(shot, middles_mm, table.disk_thickness_mm, table.man_diameter_mm)
    strange = table.men.strange(table.light.relative(colours.astype(np.float32)).astype(np.float64))
    return np.asarray(strange < _STRANGE)
