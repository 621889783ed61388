"""The eye as a profile makes it: with the lens, the board's dimensions and the colours that were calibrated."""

from typing import TYPE_CHECKING

from companion.errors import NoBoardError
from engine.layout import Layout
from vision.eye import Eye, EyeSettings
from vision.finding.find import FoundBoard, NotFound, find_board
from vision.following.downsized import Downsized
from vision.palette import Material
from vision.picture import Picture

if TYPE_CHECKING:
    from calibration.profile import Profile


def with_profile(layout: Layout, material: Material, profile: "Profile | None") -> tuple[Layout, Material]:
    """Board and material with what a profile knows of them."""
    if profile is None:
        return layout, material
    from calibration.colours import material_with

    return profile.layout_for(layout), material_with(material, profile.colours)


def find_in(
    picture: Picture, where: object, layout: Layout, material: Material | None, profile: "Profile | None"
) -> FoundBoard:
    """The board in a picture that came from `where`. Raises `NoBoardError` with the reason."""
    lens = profile.lens_for(picture.shape[1], picture.shape[0]) if profile else None
    found = find_board(picture, layout, lens, material)
    if isinstance(found, NotFound):
        raise NoBoardError(f"{where}: no {layout.name} board found: {found.reason}")
    return found


def make_eye(layout: Layout, material: Material, profile: "Profile | None", settings: EyeSettings | None = None) -> Eye:
    """The eye for a board, with what a profile knows."""
    known_layout, known_material = with_profile(layout, material, profile)
    return Eye(known_layout, known_material, profile.lens_for if profile else None, settings)


def fit_for(eye: Eye) -> Downsized:
    """What a film's pictures are made into before the eye sees them."""
    return Downsized(eye.layout.pitch_mm, lambda: eye.found.pose if eye.found is not None else None)
