"""Calibrate a board that stays where it is: its pose, and what its pieces measure."""

from collections.abc import Sequence

import numpy as np

from calibration.colours import sure_owners
from calibration.errors import CalibrationError
from calibration.profile import BoardProfile
from engine.layout import Layout
from vision.finding.find import FoundBoard, find_board
from vision.finding.refine import cell_points
from vision.geometry import Lens
from vision.palette import Material
from vision.picture import Picture
from vision.reading.first_look import first_look

#: Between the pictures of one calibration the board may appear to move by this much of the pitch.
_STILL = 0.15
#: Fewer cells with men than this are too few to measure a man.
_ENOUGH_MEN = 3
#: A thickness that may be further off than this, in diameters, is left open: taken for certain it misleads readings.
_SURE_THICKNESS = 0.01


def calibrate_board(pictures: Sequence[Picture], layout: Layout, lens: Lens | None, material: Material) -> BoardProfile:
    """The board in some pictures (H, W, 3) of the same scene: pose, and dimensions of disks and men.

    Dimensions that the layout knows are kept, a man's are measured when enough of them stand on the board and show
    surely how thick they are, else None.
    Raises `CalibrationError` when the board is in none of the pictures, or moves from one to the next.
    """
    found: list[FoundBoard] = []
    reason = "there are no pictures"
    for picture in pictures:
        answer = find_board(picture, layout, lens, material, found[0] if found else None)
        if isinstance(answer, FoundBoard):
            found.append(answer)
        else:
            reason = answer.reason
    if not found:
        raise CalibrationError(f"no {layout.name} board in the pictures: {reason}")
    best = max(found, key=lambda f: f.confidence - f.residual_px / 100)
    _check_still(found, best, layout)
    man_mm = layout.man_mm
    if man_mm is None:
        look = first_look(pictures[-1], best.pose, layout, material)
        table = look.table
        enough = len(sure_owners(look.cells)) >= _ENOUGH_MEN
        sure = enough and table.thickness_spread() < _SURE_THICKNESS and not table.perhaps_thinner()
        man_mm = (table.man_diameter_mm, table.man_thickness_mm) if sure else None
    return BoardProfile(
        layout.name, best.pose, layout.pitch_mm, layout.disk_mm, man_mm, best.residual_px, best.confidence
    )


def _check_still(found: Sequence[FoundBoard], best: FoundBoard, layout: Layout) -> None:
    """All poses put the cells in the same places."""
    points = cell_points(layout)
    wanted, pitch_px = best.pose.project(points), best.pose.pitch_px(points, layout.pitch_mm)
    for other in found:
        moved = np.linalg.norm(other.pose.project(points) - wanted, axis=1) / pitch_px
        if float(np.median(moved)) > _STILL:
            raise CalibrationError(
                f"the board moved by {np.median(moved):.1f} of a cell between the pictures: keep camera and board still"
            )
