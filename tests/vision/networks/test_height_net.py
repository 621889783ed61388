"""The network that weighs heights: geometry says where it looks, against projected cylinders."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.look import MAX_HEIGHT
from tests.vision.test_sampling import LAYOUT, poses
from vision.geometry import BoardPose
from vision.lamplight.lamp import Lamp
from vision.networks.height_net import COLUMN_FIRST, SHADOW_FIRST, height_net, places_of
from vision.sampling import (
    SHADOW_COLUMNS,
    SHADOW_ENDS,
    SHADOW_ROWS,
    STRIP_COLUMNS,
    STRIP_ROWS,
    cell_views,
    column_maps,
    raised,
    strip_places,
)

DISK_MM, DIAMETER_MM, LAMP = 1.8, 28.0, Lamp(300.0, -500.0, 700.0)
CELL = 20


def stack_seen(pose: BoardPose, aside_mm: tuple[float, float], top_mm: float) -> tuple[np.ndarray, np.ndarray]:
    """Where the axis of a stack stands, (2,), and where the middle of its top appears to lie on the disks, (1, 2)."""
    axis = np.array(LAYOUT.centres_mm[CELL]) + aside_mm
    larger = (pose.camera_mm[2] - DISK_MM) / (pose.camera_mm[2] - DISK_MM - top_mm)
    return axis, (pose.camera_mm[:2] + (axis - pose.camera_mm[:2]) * larger)[None]


def asked(pose: BoardPose, middles: np.ndarray, ratio: float, sunk: float) -> tuple[np.ndarray, list, list, list]:
    """The strips' places of the tops, and where the network looks for one to eight men."""
    views = cell_views(pose, LAYOUT).of(np.array([CELL]))
    tops = strip_places(pose, views, middles, DISK_MM, DIAMETER_MM)
    sine, cosine = views.tilt()
    way, reach = LAMP.shadows(views.centres_mm)
    near = 10 * DIAMETER_MM * cosine / np.hypot(views.distance_mm, pose.camera_mm[2])
    ahead, aside = (way * views.away).sum(axis=1), (way * views.across).sum(axis=1)
    view = [sine, cosine, np.ones(1), np.zeros(1), near, ahead, aside, reach, np.zeros(1), np.ones(1)]
    rows, falls, known = places_of(view, tops[:, 1], ratio, np.array([sunk]), reach, np.arange(1, MAX_HEIGHT + 1))
    return tops, rows, falls, known


@settings(max_examples=40, deadline=None)
@given(poses, st.floats(-4, 4), st.floats(-4, 4), st.floats(0.2, 0.3), st.sampled_from([0.0, 0.06]), st.integers(1, 6))
def test_edges_are_looked_for_where_cylinders_have_them(
    pose: BoardPose, x: float, y: float, ratio: float, sunk: float, height: int
) -> None:
    """Near edges of top and foot, the seam below the top and the far edge, within a fortieth of a diameter."""
    top = (ratio * height - sunk) * DIAMETER_MM
    axis, middles = stack_seen(pose, (x, y), top)
    tops, rows, _, _ = asked(pose, middles, ratio, sunk)
    views = cell_views(pose, LAYOUT).of(np.array([CELL]))
    maps = column_maps(pose, views, tops, DISK_MM, DIAMETER_MM)[0]
    middle = maps[:, STRIP_COLUMNS // 2 - 1 : STRIP_COLUMNS // 2 + 1].mean(axis=1)
    step = float(np.linalg.norm(middle[1] - middle[0]))
    for k, off, z in (
        (0, 0.5, top),
        (2, -0.5, top),
        (3, -0.5, top - ratio * DIAMETER_MM),
        (6, -0.5, -sunk * DIAMETER_MM),
    ):
        point = np.array([*(axis + off * DIAMETER_MM * views.away[0]), DISK_MM + z])
        row = COLUMN_FIRST + 2 * float(rows[k][height - 1])
        there = np.array([np.interp(row, np.arange(STRIP_ROWS), middle[:, c]) for c in (0, 1)])
        if 0 <= row < STRIP_ROWS - 1:
            assert np.linalg.norm(pose.project(point) - there) < step


@settings(max_examples=40, deadline=None)
@given(poses, st.floats(-4, 4), st.floats(0.2, 0.3), st.integers(1, 6))
def test_ends_of_shadows_are_looked_for_where_they_fall(pose: BoardPose, x: float, ratio: float, height: int) -> None:
    """The top's shadow ends half a diameter beyond its middle's, along the way shadows fall."""
    top = ratio * height * DIAMETER_MM
    axis, middles = stack_seen(pose, (x, 0.0), top)
    _, _, falls, known = asked(pose, middles, ratio, 0.0)
    way, reach = LAMP.shadows(np.array([LAYOUT.centres_mm[CELL]]))
    end = (axis + (top * reach[0] + DIAMETER_MM / 2) * way[0] - middles[0]) / DIAMETER_MM
    step = (SHADOW_ENDS[1] - SHADOW_ENDS[0]) / SHADOW_ROWS
    looked = SHADOW_ENDS[0] + (SHADOW_FIRST + 2 * float(falls[1][height - 1]) + 0.5) * step
    assert abs(looked - float(end @ way[0])) < step
    assert abs(float(known[6][height - 1]) - float(end @ [-way[0, 1], way[0, 0]])) < step
    axis_again = raised(pose, middles, DISK_MM, np.array([top]))[0]
    assert np.abs(axis_again - axis).max() < 1e-6


def test_likelihoods_of_heights_whether_a_lamp_is_known_or_not() -> None:
    """With that of no men they add up to one for every size, and without a lamp shadows make no difference."""
    random = np.random.default_rng(3)
    columns = random.normal(0, 0.3, (2, 4, STRIP_ROWS, STRIP_COLUMNS)).astype(np.float32)
    shadows = random.normal(0, 0.3, (2, 4, SHADOW_ROWS, SHADOW_COLUMNS)).astype(np.float32)
    view = np.tile(np.array([0.4, 0.92, 0.7, 0.0, 0.4, 0.5, 0.8, 0.7, 0.4, 1.0], np.float32), (2, 1))
    dark = view * (np.arange(10) < 5).astype(np.float32)
    net, sizes = height_net(), (np.array([0.22, 0.26]), np.full((2, 2), 0.7), np.array([0.0, 0.06]))
    for seen in (view, dark):
        told = net.heights(net.look(columns, shadows, seen, np.array([0.1, 0.3])), *sizes)
        assert told.shape == (2, 2, MAX_HEIGHT + 1)
        assert np.allclose(np.exp(told).sum(axis=2), 1.0, atol=1e-4)
    for seen, alike in ((view, False), (dark, True)):
        one, other = (net.heights(net.look(columns, shadows + more, seen, np.zeros(2)), *sizes) for more in (0.0, 0.2))
        assert np.allclose(one, other) == alike


def test_what_is_known_of_a_stack_is_asked_alike() -> None:
    """Sizes asked together and one by one get the same answer, and so do stacks."""
    random = np.random.default_rng(5)
    columns = random.normal(0, 0.3, (3, 4, STRIP_ROWS, STRIP_COLUMNS)).astype(np.float32)
    shadows = random.normal(0, 0.3, (3, 4, SHADOW_ROWS, SHADOW_COLUMNS)).astype(np.float32)
    view = np.tile(np.array([0.4, 0.92, 0.7, 0.0, 0.4, 0.5, 0.8, 0.7, 0.4, 1.0], np.float32), (3, 1))
    ratios, reaches, sunk = np.array([0.21, 0.27]), random.uniform(0.4, 1.2, (3, 2)), np.array([0.0, 0.06, 0.0])
    up, net = np.array([0.1, 0.2, 0.3]), height_net()
    together = net.heights(net.look(columns, shadows, view, up), ratios, reaches, sunk)
    assert np.ptp(together, axis=1).max() > 0.01
    for i in range(3):
        one = slice(i, i + 1)
        seen = net.look(columns[one], shadows[one], view[one], up[one])
        for k in range(2):
            alone = net.heights(seen, ratios[k : k + 1], reaches[one, k : k + 1], sunk[one])
            assert np.allclose(alone[0, 0], together[i, k], atol=1e-4)
