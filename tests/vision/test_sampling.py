"""Feet, strips and silhouettes."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.layout import named_layout
from vision.geometry import BoardPose, Lens
from vision.men.silhouette import NO_STACK, Stack, label_stacks
from vision.sampling import (
    COLUMNS,
    REACH,
    RIM_CIRCLES,
    RIM_DIRECTIONS,
    RIM_RADII,
    ROWS,
    SHADOW_COLUMNS,
    SHADOW_ENDS,
    SHADOW_ROWS,
    SIDE_COLUMNS,
    SIDE_ENDS,
    SIDE_ROWS,
    SIDE_TURN,
    STRIP_COLUMNS,
    STRIP_ENDS,
    STRIP_ROWS,
    cell_views,
    foot_maps,
    foot_points,
    gather,
    moved,
    raised,
    rim_maps,
    shadow_maps,
    side_maps,
    strip_maps,
    strip_places,
    top_middles,
)

LAYOUT = named_layout("hexhex-4")
LENS = Lens(960, 540, 900.0, 900.0, 479.5, 269.5, (-0.05, 0.01, 0.0, 0.0, 0.0))


def looking(tilt_deg: float, azimuth_deg: float, distance_mm: float = 700.0) -> BoardPose:
    """A camera that looks at the board's middle from a side."""
    tilt, turn = np.radians(tilt_deg), np.radians(azimuth_deg)
    place = distance_mm * np.array([np.sin(tilt) * np.sin(turn), -np.sin(tilt) * np.cos(turn), np.cos(tilt)])
    forward = -place / distance_mm
    right = np.array([np.cos(turn), np.sin(turn), 0.0])
    rotation = np.stack([right, np.cross(forward, right), forward])
    return BoardPose(LENS, rotation, -rotation @ place)


poses = st.builds(looking, st.floats(2, 55), st.floats(0, 360))


@settings(max_examples=25, deadline=None)
@given(poses, st.floats(0, 60))
def test_a_foot_lies_about_its_point_above_the_cell(pose: BoardPose, height_mm: float) -> None:
    """The four middle samples of a foot lie about the picture of the point above the cell's centre."""
    views = cell_views(pose, LAYOUT)
    maps = foot_maps(pose, views, height_mm, 20.0)
    middle = maps[:, ROWS // 2 - 1 : ROWS // 2 + 1, COLUMNS // 2 - 1 : COLUMNS // 2 + 1].mean(axis=(1, 2))
    centres = np.column_stack([LAYOUT.centres_mm, np.full(len(LAYOUT.names), height_mm)])
    assert np.abs(middle - pose.project(centres)).max() < 0.1


@settings(max_examples=25, deadline=None)
@given(poses, st.floats(0, 60))
def test_a_foots_points_are_where_its_pixels_are(pose: BoardPose, height_mm: float) -> None:
    """For every sample of every cell."""
    views = cell_views(pose, LAYOUT)
    points = foot_points(views, height_mm, 28.0).astype(np.float64)
    assert np.abs(pose.project(points) - foot_maps(pose, views, height_mm, REACH * 28.0)).max() < 0.01


@settings(max_examples=25, deadline=None)
@given(poses)
def test_rows_run_away_from_the_camera(pose: BoardPose) -> None:
    """A stack's top appears further along a foot patch's rows than its foot, by height times slope."""
    views = cell_views(pose, LAYOUT)
    top = np.column_stack([LAYOUT.centres_mm, np.full(len(LAYOUT.names), 10.0)])
    along = np.column_stack([views.centres_mm + views.away * (10.0 * views.slope)[:, None], np.zeros(len(top))])
    camera = pose.camera_mm
    on_ray = camera + (top - camera) * (camera[2] / (camera[2] - 10.0))
    stretch = camera[2] / (camera[2] - 10.0)
    assert np.abs(on_ray[:, :2] - views.centres_mm - (along[:, :2] - views.centres_mm) * stretch).max() < 1e-6


@settings(max_examples=25, deadline=None)
@given(poses, st.floats(0, 2 * np.pi), st.floats(-0.6, 2.4))
def test_a_shadow_lies_along_its_way(pose: BoardPose, bearing: float, length: float) -> None:
    """The middle of a row that lies so many diameters along the way is the picture of that place on the board."""
    diameter, centres = 29.0, np.array(LAYOUT.centres_mm)
    way = np.tile([np.cos(bearing), np.sin(bearing)], (len(centres), 1))
    maps = shadow_maps(pose, centres, way, 2.0, diameter)
    row = (length - SHADOW_ENDS[0]) / (SHADOW_ENDS[1] - SHADOW_ENDS[0]) * SHADOW_ROWS - 0.5
    below = int(np.clip(row, 0, SHADOW_ROWS - 2))
    middle = maps[:, :, SHADOW_COLUMNS // 2 - 1 : SHADOW_COLUMNS // 2 + 1].mean(axis=2)
    shown = middle[:, below] * (1 - row + below) + middle[:, below + 1] * (row - below)
    points = np.column_stack([centres + length * diameter * way, np.full(len(centres), 2.0)])
    assert np.abs(shown - pose.project(points)).max() < 0.6


@settings(max_examples=25, deadline=None)
@given(poses, st.floats(0, 1.5))
def test_a_strip_shows_what_stands_on_its_cell(pose: BoardPose, height: float) -> None:
    """A point above a cell's middle is in the strip's middle column, as far up as it is high and nearer."""
    diameter = 29.0
    views = cell_views(pose, LAYOUT)
    maps = strip_maps(pose, views, 2.0, diameter)
    sine, cosine = views.tilt()
    away = np.hypot(views.distance_mm, pose.camera_mm[2] - 2.0) / diameter
    up = height * sine / (1 - height * cosine / away)
    row = (up - STRIP_ENDS[0]) / (STRIP_ENDS[1] - STRIP_ENDS[0]) * STRIP_ROWS - 0.5
    below = np.clip(row.astype(int), 0, STRIP_ROWS - 2)
    cell, share = np.arange(len(row)), (row - below)[:, None]
    middle = maps[:, :, STRIP_COLUMNS // 2 - 1 : STRIP_COLUMNS // 2 + 1].mean(axis=2)
    shown = middle[cell, below] * (1 - share) + middle[cell, below + 1] * share
    points = np.column_stack([LAYOUT.centres_mm, np.full(len(cell), 2.0 + height * diameter)])
    assert np.abs(shown - pose.project(points)).max() < 0.6


@settings(max_examples=25, deadline=None)
@given(poses, st.floats(0, 1.5), st.tuples(st.floats(-0.1, 0.1), st.floats(-0.1, 0.1)))
def test_a_top_lies_as_a_larger_circle_about_its_rim(pose: BoardPose, height: float, off: tuple[float, float]) -> None:
    """A point on a top's edge is seen where the rim has the circle that is larger by what the height brings it nearer,
    if the strip says where the top's middle is."""
    diameter, disk = 29.0, 2.0
    views = cell_views(pose, LAYOUT)
    camera, z = pose.camera_mm, disk + height * diameter
    axis = views.centres_mm + diameter * (off[0] * views.across + off[1] * views.away)
    middle = np.column_stack([axis, np.full(len(axis), z)])
    sine, cosine = views.tilt()
    right, upward = views.across, np.column_stack([cosine[:, None] * views.away, sine])
    foot = np.column_stack([views.centres_mm, np.full(len(axis), disk)])
    sight, normal = middle - camera, np.column_stack([sine[:, None] * -views.away, cosine])
    reach = ((foot - camera) * normal).sum(axis=1) / (sight * normal).sum(axis=1)
    seen = camera + reach[:, None] * sight - foot
    top = np.column_stack([(seen[:, :2] * right).sum(axis=1), (seen * upward).sum(axis=1)]) / diameter
    middles = top_middles(pose, views, top.astype(np.float32), disk, diameter)
    larger = (camera[2] - disk) / (camera[2] - z)
    assert np.abs(middles - (camera[:2] + (axis - camera[:2]) * larger)).max() < 1e-3
    assert np.abs(strip_places(pose, views, middles, disk, diameter) - top).max() < 1e-4
    maps = rim_maps(pose, views, middles, disk, diameter)
    row = (larger - RIM_RADII[0]) / (RIM_RADII[1] - RIM_RADII[0]) * RIM_CIRCLES - 0.5
    below = min(int(row), RIM_CIRCLES - 2)
    turn = 2 * np.pi * (np.arange(RIM_DIRECTIONS) + 0.5) / RIM_DIRECTIONS
    ways = np.cos(turn)[:, None] * views.away[:, None] + np.sin(turn)[:, None] * views.across[:, None]
    edge = np.concatenate([axis[:, None] + diameter / 2 * ways, np.full((*ways.shape[:2], 1), z)], axis=2)
    shown = maps[:, below] * (1 - row + below) + maps[:, below + 1] * (row - below)
    assert np.abs(shown - pose.project(edge)).max() < 0.3


@settings(max_examples=10, deadline=None)
@given(poses)
def test_middles_move_away_and_aside(pose: BoardPose) -> None:
    """In radii, away from the camera first."""
    views = cell_views(pose, LAYOUT)
    off = np.tile(np.array([[0.5, -0.25]], np.float32), (len(views.slope), 1))
    step = moved(views.centres_mm, views, off, 20.0) - views.centres_mm
    assert np.allclose((step * views.away).sum(axis=1), 5.0)
    assert np.allclose((step * views.across).sum(axis=1), -2.5)


@settings(max_examples=25, deadline=None)
@given(poses, st.floats(0.2, 2.0), st.floats(0.15, 0.39))
def test_a_side_runs_straight_down_from_the_edge(pose: BoardPose, height: float, thickness: float) -> None:
    """The lower edge of a man whose top looks to be where it is lies in one row, a thickness below the upper one."""
    diameter, disk = 29.0, 2.0
    views, camera = cell_views(pose, LAYOUT), pose.camera_mm
    rise = np.full(len(views.slope), height * diameter)
    axis = views.centres_mm + 3.0 * views.across
    seen = camera[:2] + (axis - camera[:2]) * ((camera[2] - disk) / (camera[2] - disk - rise))[:, None]
    middles = raised(pose, seen, disk, rise)
    assert np.abs(middles - axis).max() < 1e-9
    maps = side_maps(pose, views, middles, disk + rise, diameter)
    row = (thickness - SIDE_ENDS[0]) / (SIDE_ENDS[1] - SIDE_ENDS[0]) * SIDE_ROWS - 0.5
    above = int(row)
    turn = SIDE_TURN * (2 * (np.arange(SIDE_COLUMNS) + 0.5) / SIDE_COLUMNS - 1)
    ways = np.sin(turn)[:, None] * views.across[:, None] - np.cos(turn)[:, None] * views.away[:, None]
    low = np.full((*ways.shape[:2], 1), disk + (height - thickness) * diameter)
    edge = np.concatenate([axis[:, None] + diameter / 2 * ways, low], axis=2)
    shown = maps[:, above] * (1 - row + above) + maps[:, above + 1] * (row - above)
    assert np.abs(shown - pose.project(edge)).max() < 0.1


def test_gather_reads_the_picture_between_pixels() -> None:
    """On a picture that is a ramp, the values gathered are the places asked for."""
    ramp = np.tile(np.arange(200, dtype=np.uint8), (100, 1))
    maps = np.full((1, ROWS, COLUMNS, 2), 50.0, np.float32)
    maps[..., 0] = np.linspace(3, 190, COLUMNS, dtype=np.float32)
    assert np.abs(gather(ramp, maps)[0, 0].astype(float) - maps[0, 0, :, 0]).max() <= 0.6
    assert gather(ramp, maps[:0]).shape == (0, ROWS, COLUMNS)


@settings(max_examples=20, deadline=None)
@given(poses)
def test_nearer_stacks_cover_farther_ones(pose: BoardPose) -> None:
    """At the picture of a nearer stack's top there is the nearer stack, whatever stands behind it."""
    views = cell_views(pose, LAYOUT)
    order = np.argsort(views.distance_mm)
    stacks = [Stack(int(i), 0.0, 24.0, 14.0) for i in order[::3]]
    labels = label_stacks(pose, views, stacks)
    near = stacks[0].cell
    u, v = np.rint(pose.project(np.array([*LAYOUT.centres_mm[near], 24.0]))).astype(int)
    assert labels[v, u] == near
    assert (label_stacks(pose, views, []) == NO_STACK).all()
