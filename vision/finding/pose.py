"""Fit lens and pose to points seen in the picture: robust Levenberg–Marquardt, vectorised.

With an unknown lens the focal length and the first radial term are estimated too, held by a weak prior (webcams and
telephones see 45–80° horizontally) that matters only where the picture says little, as straight from above. Pixels are
square unless that explains what is seen far worse: camcorders, capture devices and some webcams stretch their pictures.
"""

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats
from vision.cv import projection_slopes
from vision.geometry import BoardPose, Lens

#: Prior of an unknown lens: focal length over picture width, its spread in log, first radial term and its spread.
_FOCAL, _FOCAL_SPREAD, _K1, _K1_SPREAD = 0.88, 0.16, -0.02, 0.04
#: Where pictures were stretched or cut: spreads of how much wider than high pixels are (in log) and of how far aside of
#: the middle the lens looks (in picture widths), and from which of them a fit begins.
_WIDER_SPREAD, _ASIDE_SPREAD, _WIDER, _ASIDE = 0.3, 0.07, (0.75, 1.33), 0.01
#: A picture was stretched where that explains the same points better by so much (cost), is more than so much (in log),
#: and leaves a focal length and a first radial term that are as usual as that (cost).
_BETTER, _NEARLY_SQUARE, _USUAL = 15.0, 0.05, 6.0
#: Residuals beyond this many sigmas lose their pull.
_ROBUST = 3.0
_ROUNDS = 15
#: The parts of a step: 3 rotation, 3 translation, then what is fitted of a lens, each with its spread beforehand.
_PLACE = 6
_SPREADS = np.array([_FOCAL_SPREAD, _K1_SPREAD, _WIDER_SPREAD, _ASIDE_SPREAD, _ASIDE_SPREAD])


@dataclass(frozen=True, slots=True)
class Fit:
    """A fitted pose, the residual of each point in pixels (N,), and its robust root mean square; `cost`: how ill points
    and lens are explained, to compare fits to the same points."""

    pose: BoardPose
    residuals_px: Floats
    rms_px: float
    cost: float


def nominal_lens(width_px: int, height_px: int) -> Lens:
    """What a camera of unknown make is taken for before anything is measured."""
    f = _FOCAL * width_px
    return Lens(width_px, height_px, f, f, (width_px - 1) / 2, (height_px - 1) / 2, (_K1, 0.0, 0.0, 0.0, 0.0))


def pose_from_homography(homography: Floats, lens: Lens) -> BoardPose | None:
    """Pose of the plane z = 0 (mm → pixels, undistorted); None when the plane is behind the camera or mirrored."""
    m = np.linalg.inv(lens.matrix) @ homography
    scale = np.sqrt(np.linalg.norm(m[:, 0]) * np.linalg.norm(m[:, 1]))
    if not np.isfinite(scale) or scale <= 0:
        return None
    m = m / scale * (1.0 if m[2, 2] > 0 else -1.0)
    u, _, vt = np.linalg.svd(np.stack([m[:, 0], m[:, 1], np.cross(m[:, 0], m[:, 1])], axis=1))
    rotation = u @ vt
    if np.linalg.det(rotation) < 0 or rotation[:, 2] @ m[:, 2] > 0:
        return None  # seen from behind
    return BoardPose(lens, rotation, m[:, 2].copy())


@dataclass(frozen=True, slots=True)
class _State:
    """A pose on the way: `gap` (N, 2) or (N, 1) in sigmas, robust `weight` (N,), `prior` residuals, total `cost`."""

    pose: BoardPose
    gap: Floats
    weight: Floats
    prior: Floats
    cost: float


@dataclass(frozen=True, slots=True)
class SeenPoints:
    """Points (N, 3) in millimetres and the pixels (N, 2) where they are seen, each with its own uncertainty (N,).

    `free_lens`: whether the lens is fitted, too; how wide its pixels are only where they are not square at the start,
    and where it looks only where that is not the middle. With `normals` (N, 2), unit vectors in the picture, only the
    distance along them counts.
    """

    points_mm: Floats
    pixels: Floats
    sigma_px: Floats
    free_lens: bool
    normals: Floats | None = None

    def gap(self, pose: BoardPose) -> Floats:
        """Projected minus seen, in sigmas, (N, 2), or (N, 1) along the normals."""
        gap = (pose.project(self.points_mm) - self.pixels) / self.sigma_px[:, None]
        if self.normals is not None:
            gap = (gap * self.normals).sum(axis=1, keepdims=True)
        return np.asarray(np.where(np.isfinite(gap), gap, 1e6), np.float64)

    def at(self, pose: BoardPose) -> _State:
        """The state at a pose."""
        gap = self.gap(pose)
        relative = (gap**2).sum(1) / _ROBUST**2
        prior = _prior(pose.lens) if self.free_lens else np.zeros(len(_SPREADS))
        cost = float(_ROBUST**2 * np.log1p(relative).sum() + prior @ prior)
        return _State(pose, gap, 1 / (1 + relative), prior, cost)

    def free(self, lens: Lens) -> NDArray[np.int_]:
        """Which parts of a step are free: those of an unknown lens, as far as the picture was stretched or cut."""
        stretched, cut = bool(_wider(lens)), bool(_aside(lens).any())
        of_lens = np.array([True, True, stretched, cut, cut]) & self.free_lens
        return np.concatenate([np.arange(_PLACE), _PLACE + np.flatnonzero(of_lens)])

    def linearised(self, state: _State, free: NDArray[np.int_]) -> tuple[Floats, Floats]:
        """Normal matrix and gradient of the weighted least squares about a state."""
        columns = _by_steps(state.pose, self.points_mm)[..., free] / self.sigma_px[:, None, None]
        if self.normals is not None:
            columns = (columns * self.normals[..., None]).sum(axis=1, keepdims=True)
        w = np.sqrt(state.weight)[:, None]
        a = (columns * w[..., None]).reshape(-1, len(free))
        normal, slope = a.T @ a, a.T @ (state.gap * w).ravel()
        of_lens = free[_PLACE:] - _PLACE
        stiff = 1 / _SPREADS[of_lens]
        normal[range(_PLACE, len(free)), range(_PLACE, len(free))] += stiff**2
        slope[_PLACE:] += stiff * state.prior[of_lens]
        return normal, slope


def fit_pose(start: BoardPose, seen: SeenPoints) -> Fit:
    """Pose (and lens, if free) that projects points onto where they are seen.

    Levenberg–Marquardt on Cauchy's robust loss, iteratively reweighted.
    """
    state, damping, free = seen.at(start), 1e-3, seen.free(start.lens)
    for _ in range(_ROUNDS):
        normal, slope = seen.linearised(state, free)
        better = None
        for _ in range(6):
            damped = normal + damping * np.diag(np.diag(normal) + 1e-12)
            step = np.zeros(_PLACE + len(_SPREADS))
            step[free] = -np.linalg.solve(damped, slope)
            trial = seen.at(moved(state.pose, step))
            if trial.cost < state.cost:
                better = trial
                break
            damping *= 8
        if better is None:
            break
        gain, state, damping = state.cost - better.cost, better, max(damping / 8, 1e-7)
        if gain < 1e-4 * max(state.cost, 1e-3):
            break
    length = np.linalg.norm(state.gap, axis=1) * seen.sigma_px
    rms = float(np.sqrt((state.weight * length**2).sum() / max(state.weight.sum(), 1e-9)))
    return Fit(state.pose, length, rms, state.cost)


def fit_either_way(start: BoardPose, seen: SeenPoints) -> Fit:
    """`fit_pose` from a start and from its reversal: the fit that explains the points better."""
    fit = fit_pose(start, seen)
    lens = fit.pose.lens
    other = fit_pose(_reversed(fit.pose, _like(lens, _wider(lens), _aside(lens)) if seen.free_lens else lens), seen)
    return min(fit, other, key=lambda fit: fit.cost)


def fit_stretched(fit: Fit, seen: SeenPoints) -> Fit | None:
    """A fit to the same points if the picture was stretched; None where that explains them hardly better, or no better
    than that it was cut does (what is seen is explained well enough then, and where a lens looks is not told well)."""
    pose, lens = fit.pose, fit.pose.lens
    plane = lens.matrix @ np.column_stack([pose.rotation[:, :2], pose.translation_mm])

    def best(lenses: list[Lens]) -> Fit:
        starts = [pose_from_homography(plane, other) for other in lenses]
        return min((fit_either_way(start, seen) for start in starts if start), key=lambda fit: fit.cost, default=fit)

    stretched = best([_like(lens, wider, np.zeros(2)) for wider in np.log(_WIDER).tolist()])
    much = abs(_wider(stretched.pose.lens)) > _NEARLY_SQUARE and fit.cost - _too_wide(lens) - stretched.cost > _BETTER
    if not much or (_prior(stretched.pose.lens)[:2] ** 2).sum() > _USUAL:
        return None
    return stretched if best([_like(lens, 0.0, np.full(2, _ASIDE))]).cost > stretched.cost else None


def _too_wide(lens: Lens) -> float:
    """What a lens costs beforehand for being wide, beyond what is usual: there are more such lenses than stretches."""
    focal = float(_prior(lens)[0])
    return max(0.0, focal**2 - _USUAL) if focal < 0 else 0.0


def _wider(lens: Lens) -> float:
    """How much wider than high a lens's pixels are, a logarithm."""
    return float(np.log(lens.pixel_width))


def _aside(lens: Lens) -> Floats:
    """How far aside of the picture's middle a lens looks, (2,) in picture widths."""
    middle = np.array([lens.width_px - 1, lens.height_px - 1]) / 2
    return np.asarray((np.array([lens.cx_px, lens.cy_px]) - middle) / lens.width_px)


def _like(lens: Lens, wider: float, aside: Floats) -> Lens:
    """What another lens is taken for whose picture has the same size and was stretched and cut so."""
    nominal = nominal_lens(lens.width_px, lens.height_px)
    x_px, y_px = (aside * lens.width_px).tolist()
    fy_px = nominal.fy_px * float(np.exp(wider))
    return replace(nominal, fy_px=fy_px, cx_px=nominal.cx_px + x_px, cy_px=nominal.cy_px + y_px)


def _reversed(pose: BoardPose, lens: Lens) -> BoardPose:
    """The board tilted the other way, seen through `lens`: from afar it looks much the same (Necker 1832)."""
    sight = pose.translation_mm / np.linalg.norm(pose.translation_mm)
    mirror = np.eye(3) - 2 * np.outer(sight, sight)
    return BoardPose(
        lens, mirror @ pose.rotation @ np.diag([1.0, 1.0, -1.0]), pose.translation_mm * lens.fx_px / pose.lens.fx_px
    )


def moved(pose: BoardPose, step: Floats) -> BoardPose:
    """The pose turned and shifted by a small step in the camera's frame: 3 rotation, 3 translation (relative to the
    distance), then the lens: log focal length, k1, how much wider than high pixels are (log), and how far aside it
    looks (2, picture widths)."""
    turn = np.asarray(cv2.Rodrigues(step[:3])[0], np.float64)
    distance = float(np.linalg.norm(pose.translation_mm))
    lens = pose.lens
    translation = pose.translation_mm + step[3:6] * distance
    if step[_PLACE:].any():
        grow, wider = np.exp(np.clip(step[[6, 8]], -0.5, 0.5)).tolist()
        k1, k2, p1, p2, k3 = lens.distortion
        x_px, y_px = (step[9:] * lens.width_px).tolist()
        lens = replace(
            lens,
            fx_px=lens.fx_px * grow,
            fy_px=lens.fy_px * grow * wider,
            cx_px=lens.cx_px + x_px,
            cy_px=lens.cy_px + y_px,
            distortion=(k1 + float(step[7]), k2, p1, p2, k3),
        )
        # what is seen stays where it is: a longer lens sees the same size from farther away
        translation = translation * np.array([1, 1, grow])
        translation -= translation[2] * np.array([x_px / lens.fx_px, y_px / lens.fy_px, 0.0])
    return replace(pose, lens=lens, rotation=turn @ pose.rotation, translation_mm=translation)


def _by_steps(pose: BoardPose, points_mm: Floats) -> Floats:
    """How the pixels of points (N, 3) change with each part of a small step of `moved`, (N, 2, 11)."""
    lens, z_mm = pose.lens, pose.translation_mm[2]
    by = projection_slopes(lens, pose.warped(points_mm) @ pose.rotation.T, pose.translation_mm)
    longer = by.fx_px * lens.fx_px + by.fy_px * lens.fy_px + by.shift_mm[..., 2] * z_mm
    of_lens = [
        longer,
        by.k1,
        by.fy_px * lens.fy_px,
        (by.cx_px - by.shift_mm[..., 0] * z_mm / lens.fx_px) * lens.width_px,
        (by.cy_px - by.shift_mm[..., 1] * z_mm / lens.fy_px) * lens.width_px,
    ]
    distance_mm = float(np.linalg.norm(pose.translation_mm))
    return np.concatenate([by.turn, by.shift_mm * distance_mm, np.stack(of_lens, axis=-1)], axis=-1)


def _prior(lens: Lens) -> Floats:
    """Residuals of what an unknown lens is taken for, (5,), each in its spread."""
    focal = np.log(lens.fx_px / lens.width_px / _FOCAL)
    return np.asarray(np.array([focal, lens.distortion[0] - _K1, _wider(lens), *_aside(lens)]) / _SPREADS)
