"""Labelled pictures → the feet, strips and truths that the networks learn from, by the reader's own sampling."""

import json
import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from benchmarks.read import SURFACES, truths
from benchmarks.reader_training.paint import Painted
from benchmarks.reader_training.rim_patches import rim_patches
from benchmarks.reader_training.shadow_patches import lamp_of, shadow_patches
from benchmarks.reader_training.side_patches import side_patches
from engine.board import from_cells
from engine.layout import layout_of
from engine.look import SURFACES as ALL_SURFACES
from engine.look import CellLook, Surface
from vision.geometry import BoardPose, Lens
from vision.light import light_of
from vision.men.silhouette import NO_STACK, Stack, label_stacks
from vision.picture import load_picture
from vision.sampling import REACH, STRIP_ENDS, STRIP_ROWS, CellViews, cell_views, foot_maps, gather, strip_maps
from vision.surfaces.foot_colours import MIDDLE

#: Strips show men that are thicker or thinner by so much (logarithm) than they are, but no thicker or thinner than so.
_THICKER, _THICKNESSES = 0.16, (0.152, 0.385)
#: The network's idea of a disk's thickness, whatever the true one.
DISK_MM = 1.8


@dataclass(frozen=True)
class Doubt:
    """What a reader may know: its error of the pose (in pitches), the logarithm of the man's assumed over true
    diameter, and its idea of his thickness in diameters."""

    pose: float
    diameter: float
    thickness: float


def load_still(path: Path) -> Painted:
    """A labelled still in the format of the shared footage: NNNN.json beside a picture; lengths per 40 mm pitch.

    A cell may have `at`: where the axes of its men stand from its centre, (x, y) in millimetres, lowest first; and `t`:
    how thick its men are.
    """
    data = json.loads(path.read_text())
    layout = layout_of(from_cells([(c["q"], c["r"]) for c in data["cells"]], data["board"]))
    assert layout.board is not None
    cells = {(c["q"], c["r"]): c for c in data["cells"]}
    ordered = [cells[tuple(cell)] for cell in layout.board.cells]
    scale = layout.pitch_mm / data["pitch_mm"]
    matrix, distortion = np.array(data["camera"]["K"]), np.array(data["camera"]["dist"], float)
    matrix[:2, 2] -= 0.5
    width, height = data["size"]
    lens = Lens(width, height, matrix[0, 0], matrix[1, 1], matrix[0, 2], matrix[1, 2], tuple(distortion.tolist()))
    pose = _solve(lens, np.array(layout.centres_mm), np.array([c["px"] for c in ordered]) - 0.5)
    looks = tuple(CellLook(SURFACES[c["tile"]], c["owner"], c["height"]) for c in ordered)
    diameter, usual = (scale * v for v in data["checker_mm"])
    thickness = np.array([scale * c["t"] if "t" in c else usual for c in ordered])
    disk = (scale * data["disk_mm"][0], scale * data["disk_mm"][1])
    lowest, highest = (_offsets(ordered, end, scale, data.get("turn_deg", 0.0)) for end in (0, -1))
    picture = next(p for suffix in (".jpg", ".png") if (p := path.with_suffix(suffix)).exists())
    return Painted(
        image=load_picture(picture),
        layout=layout,
        pose=pose,
        looks=looks,
        diameter_mm=diameter,
        thickness_mm=thickness,
        disk_mm=disk,
        lowest=lowest,
        highest=highest,
        lamp=lamp_of(data, scale),
    )


def _offsets(cells: list[dict[str, Any]], end: int, scale: float, turn_deg: float) -> Any:
    """Where the lowest or highest men stand from their cells' centres in the board frame, (n, 2); NaN if unknown."""
    at = np.array([cell["at"][end][:2] if cell.get("at") else (np.nan, np.nan) for cell in cells], float)
    turn = math.radians(turn_deg)
    back = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    return scale * at @ back


def webcam(image: Any, random: np.random.Generator, poor: bool) -> Any:
    """What a webcam adds: exposure, white balance, noise, softness, JPEG; `poor`: haze and strong compression too."""
    light = np.power(image.astype(np.float32) / 255, 2.2) * random.uniform(0.75, 1.12)
    light *= np.array([random.uniform(0.92, 1.08), 1, random.uniform(0.92, 1.08)], np.float32)
    noise = random.uniform(0.5, 3.5)
    grain = np.sqrt(np.clip(light, 0, None) * 0.0006 + (noise / 255) ** 2 * 0.05)
    light += random.normal(0, 1, light.shape).astype(np.float32) * grain
    shown = np.power(np.clip(light, 0, 1), 1 / 2.2)
    if blur := random.choice([0, 0, 0.5, 0.8, 1.1]):
        shown = cv2.GaussianBlur(shown, (0, 0), blur)
    shown += random.normal(0, noise / 255 * 0.5, shown.shape).astype(np.float32)
    quality = int(random.choice([30, 45, 60, 75, 85, 92]))
    if poor:
        haze = random.uniform(0, 0.4) * (random.random() < 0.5)
        shown = shown * (1 - haze) + haze * random.uniform(0.35, 0.75)
        quality = int(random.integers(10, 40)) if random.random() < 0.6 else quality
    picture = np.clip(shown * 255, 0, 255).astype(np.uint8)
    return cv2.imdecode(cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], cv2.IMREAD_COLOR)


def patches_of(scene: Painted, image: Any, doubt: Doubt, random: np.random.Generator, empties: float) -> dict[str, Any]:
    """Everything that training needs of one picture, arrays over its cells.

    Strips are kept for cells with men, cells that others cover, and a share `empties` of the rest (`sel`); `shadows`
    of stacks that can be seen, where the lamp is known, and `rims` and `sides` where it is known where their tops are.
    """
    pose = shaken(scene, doubt.pose, random)
    diameter = scene.diameter_mm * math.exp(doubt.diameter)
    views = cell_views(pose, scene.layout)
    bare, height, top = scene.stacks(range(len(scene.looks)))
    foot = np.where(bare, 0.0, scene.disk_mm[1])
    stacks = [Stack(int(i), foot[i], top[i], scene.diameter_mm / 2) for i in np.flatnonzero(height)]
    labels = label_stacks(pose, views, stacks)
    maps = foot_maps(pose, views, DISK_MM, REACH * diameter)
    cover = cover_of(labels, maps, np.arange(len(height)), views.distance_mm)
    busy = (cover == 1).mean(axis=(1, 2)) > 0.05
    chosen = np.flatnonzero((height > 0) | busy | (random.random(len(height)) < empties))
    feet = gather(image, maps)
    axes = [np.stack([(o * views.across).sum(1), (o * views.away).sum(1)], 1) for o in (scene.lowest, scene.highest)]
    seen = truths(as_data(scene), scene.layout, scene.pose, list(scene.looks))
    visible = np.array([t.top for t in seen])
    is_open = (height == 0) & (visible >= 0.5) & (cover == 0).all(axis=(1, 2))
    known = is_open & _light_disks(scene) if random.random() < 0.5 else None
    light = light_of(image, pose, scene.layout, None if bare.all() else feet, known)
    strips = _strips(image, pose, views.of(chosen), diameter, scene.thickness_mm[chosen] / diameter, random)
    raised = strips["T"] * diameter / scene.thickness_mm[chosen]
    size = np.stack(
        [np.full(len(height), diameter / scene.layout.pitch_mm), np.log(views.px_per_mm * diameter / 40)], 1
    )
    thick = np.full((len(height), 1), doubt.thickness)
    stands = np.flatnonzero((height > 0) & (visible >= 0.15))
    placed = stands[np.isfinite(scene.highest[stands]).all(axis=1)]
    rims, sides = {}, {}
    if len(placed):
        rims = rim_patches(scene, image, pose, views, placed, (DISK_MM, diameter), random)
        rims["rim_cover"] = cover_of(labels, rims.pop("rim_maps"), placed, views.distance_mm)
        sides = side_patches(scene, image, pose, placed, feet, light, (DISK_MM, diameter))
        sides["side_cover"] = cover_of(labels, sides.pop("side_maps"), placed, views.distance_mm)
    shadows = {}
    if np.isfinite(scene.lamp).all() and len(stands):
        shadows = shadow_patches(scene, image, pose, views, stands, (DISK_MM, diameter), random)
        for kind in ("around", "floor"):
            shadows[f"{kind}_cover"] = cover_of(labels, shadows.pop(f"{kind}_maps"), stands, views.distance_mm)
    return {
        "shadows": shadows,
        "rims": rims,
        "sides": sides,
        "base": feet,
        "bmask": cover,
        "view": np.concatenate([views.slope[:, None], views.slope[:, None] * thick, thick, size], 1),
        "h": height,
        "surf": np.array([ALL_SURFACES.index(look.surface) for look in scene.looks]),
        "top": visible,
        "ring": np.array([t.ring for t in seen]),
        "colours": _surface_colours(feet, scene, is_open),
        "white": np.array(light.white_bgr),
        "haze": light.haze,
        "sel": chosen,
        "strip": strips["strip"],
        "smask": cover_of(labels, strips["maps"], chosen, views.distance_mm),
        "sview": np.concatenate([strips["tilt"], size[chosen], strips["nearing"]], 1),
        "T": strips["T"],
        "z": (top[chosen] - DISK_MM) / diameter * raised,
        "sunk": np.where(bare[chosen], DISK_MM / diameter, 0.0) * raised,
        "at": np.concatenate(axes, axis=1)[chosen] / diameter,
    }


def _light_disks(scene: Painted) -> Any:
    """On which cells light disks lie, (n,), by men or not."""
    return np.array([look.surface in (Surface.BEIGE, Surface.LIGHT) for look in scene.looks])


def _surface_colours(feet: Any, scene: Painted, is_open: Any) -> Any:
    """What surfaces look like in the middle of cells that are open, (4, 3) 0–255; NaN where there are none."""
    middles = np.median(feet[:, *MIDDLE].reshape(len(feet), -1, 3), axis=1)
    lies = np.array([ALL_SURFACES.index(look.surface) for look in scene.looks])
    colours = np.full((len(ALL_SURFACES), 3), np.nan, np.float32)
    for k in range(len(ALL_SURFACES)):
        if (is_open & (lies == k)).any():
            colours[k] = np.median(middles[is_open & (lies == k)], axis=0)
    return colours


def _strips(
    image: Any, pose: BoardPose, views: CellViews, diameter: float, thickness: Any, random: np.random.Generator
) -> dict[str, Any]:
    """Strips that show men of any thickness, whatever their `thickness` (n,) is (both in diameters).

    Stretched upright, a picture is one of a flatter view of thicker men: circles look rounder, sides higher.
    """
    sine, cosine = views.tilt()
    shown = np.clip(thickness * np.exp(random.normal(0, _THICKER, len(sine))), *_THICKNESSES)
    stretch = 1 / np.sqrt(cosine**2 + (sine * thickness / shown) ** 2)
    flatter = np.minimum(stretch * cosine, 1 - 1e-9)
    low, high = STRIP_ENDS
    zero = -low / (high - low) * STRIP_ROWS - 0.5
    row = zero + (np.arange(STRIP_ROWS) - zero) / stretch[:, None]
    below = np.clip(row.astype(int), 0, STRIP_ROWS - 2)
    share = (row - below)[..., None, None]
    whole = strip_maps(pose, views, DISK_MM, diameter)
    cell = np.arange(len(sine))[:, None]
    maps = (whole[cell, below] * (1 - share) + whole[cell, below + 1] * share).astype(np.float32)
    far_mm = np.hypot(views.distance_mm, pose.camera_mm[2])
    return {
        "strip": gather(image, maps),
        "maps": maps,
        "T": shown,
        "tilt": np.stack([np.sqrt(1 - flatter**2), flatter], axis=1),
        "nearing": (10 * diameter * cosine / far_mm)[:, None],
    }


def as_data(scene: Painted) -> dict[str, Any]:
    return {
        "pitch_mm": scene.layout.pitch_mm,
        "disk_mm": scene.disk_mm,
        "checker_mm": (scene.diameter_mm, 0.0),
        "thickness_mm": scene.thickness_mm,
    }


def cover_of(labels: Any, maps: Any, cells: Any, distance: Any) -> Any:
    pixel = np.rint(maps).astype(int)
    x, y = np.clip(pixel[..., 0], 0, labels.shape[1] - 1), np.clip(pixel[..., 1], 0, labels.shape[0] - 1)
    label = labels[y, x]
    own = cells.reshape(-1, *[1] * (label.ndim - 1))
    side = np.where(distance[label] < distance[own], 1, -1)
    return np.where((label == NO_STACK) | (label == own), 0, side).astype(np.int8)


def _solve(lens: Lens, centres: Any, pixels: Any) -> BoardPose:
    points = np.column_stack([centres, np.zeros(len(centres))])
    distortion = np.array(lens.distortion)
    _, turn, shift = cv2.solvePnP(points, pixels, lens.matrix, distortion, flags=cv2.SOLVEPNP_IPPE)
    turn, shift = cv2.solvePnPRefineLM(points, pixels, lens.matrix, distortion, turn, shift)
    return BoardPose(lens, np.asarray(cv2.Rodrigues(turn)[0], np.float64), np.ravel(shift).astype(np.float64))


def shaken(scene: Painted, pitches: float, random: np.random.Generator) -> BoardPose:
    """The pose that a finder would give who errs by so many pitches."""
    centres = np.array(scene.layout.centres_mm)
    reach = max(float(np.hypot(*centres.T).max()), 1.0)
    error = pitches * scene.layout.pitch_mm
    warp = np.eye(2) + random.normal(0, error / reach * 0.6, (2, 2))
    moved = centres @ warp.T + random.normal(0, error * 0.7, 2)
    pixels = scene.pose.project(np.column_stack([moved, np.zeros(len(moved))]))
    found = _solve(scene.pose.lens, centres, pixels)
    return replace(found, lens=scene.pose.lens)
