"""Fit lens and pose to points seen in the picture: robust Levenberg–Marquardt, vectorised.

With an unknown lens the focal length and the first radial term are estimated too, held by a weak prior (webcams and
telephones see 45–80° horizontally) that matters only where the picture says little, as straight from above.
"""

from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.geometry import BoardPose, Floats, Lens

#: Prior of an unknown lens: focal length over picture width, its spread in log, first radial term and its spread.
_FOCAL, _FOCAL_SPREAD, _K1, _K1_SPREAD = 0.88, 0.16, -0.02, 0.04
#: Residuals beyond this many sigmas lose their pull.
_ROBUST = 3.0
_ROUNDS = 15


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

    `free_lens`: whether the lens is fitted, too. With `normals` (N, 2), unit vectors in the picture, only the distance
    along them counts.
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
        prior = _prior(pose.lens) if self.free_lens else np.zeros(2)
        cost = float(_ROBUST**2 * np.log1p(relative).sum() + prior @ prior)
        return _State(pose, gap, 1 / (1 + relative), prior, cost)

    def linearised(self, state: _State) -> tuple[Floats, Floats]:
        """Normal matrix and gradient of the weighted least squares about a state, derivatives by forward steps."""
        count, h = 8 if self.free_lens else 6, 1e-5
        columns = [(self.gap(_moved(state.pose, step)) - state.gap) / h for step in h * np.eye(count)]
        w = np.sqrt(state.weight)[:, None]
        a = (np.stack(columns, axis=2) * w[..., None]).reshape(-1, count)
        normal, slope = a.T @ a, a.T @ (state.gap * w).ravel()
        if self.free_lens:
            spread = np.array([1 / _FOCAL_SPREAD, 1 / _K1_SPREAD])
            normal[[6, 7], [6, 7]] += spread**2
            slope[6:] += spread * state.prior
        return normal, slope


def fit_pose(start: BoardPose, seen: SeenPoints) -> Fit:
    """Pose (and lens, if free) that projects points onto where they are seen.

    Levenberg–Marquardt on Cauchy's robust loss, iteratively reweighted.
    """
    state, damping = seen.at(start), 1e-3
    for _ in range(_ROUNDS):
        normal, slope = seen.linearised(state)
        better = None
        for _ in range(6):
            damped = normal + damping * np.diag(np.diag(normal) + 1e-12)
            step = np.asarray(-np.linalg.solve(damped, slope), np.float64)
            trial = seen.at(_moved(state.pose, step))
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
    other = fit_pose(_reversed(fit.pose, nominal_lens(lens.width_px, lens.height_px) if seen.free_lens else lens), seen)
    return min(fit, other, key=lambda fit: fit.cost)


def _reversed(pose: BoardPose, lens: Lens) -> BoardPose:
    """The board tilted the other way, seen through `lens`: from afar it looks much the same (Necker 1832)."""
    sight = pose.translation_mm / np.linalg.norm(pose.translation_mm)
    mirror = np.eye(3) - 2 * np.outer(sight, sight)
    return BoardPose(
        lens, mirror @ pose.rotation @ np.diag([1.0, 1.0, -1.0]), pose.translation_mm * lens.fx_px / pose.lens.fx_px
    )


def _moved(pose: BoardPose, step: Floats) -> BoardPose:
    """The pose turned and shifted by a small step in the camera's frame: 3 rotation, 3 translation (relative to the
    distance), then log focal length and k1."""
    turn = np.asarray(cv2.Rodrigues(step[:3])[0], np.float64)
    distance = float(np.linalg.norm(pose.translation_mm))
    lens = pose.lens
    translation = pose.translation_mm + step[3:6] * distance
    if len(step) > 6:
        grow = float(np.exp(np.clip(step[6], -0.5, 0.5)))
        k1, k2, p1, p2, k3 = lens.distortion
        lens = replace(
            lens, fx_px=lens.fx_px * grow, fy_px=lens.fy_px * grow, distortion=(k1 + float(step[7]), k2, p1, p2, k3)
        )
        # a longer lens sees the same size from farther away: this keeps the two from fighting
        translation = translation * np.array([1, 1, grow])
    return BoardPose(lens, turn @ pose.rotation, translation)


def _prior(lens: Lens) -> Floats:
    """Residuals of the lens prior: focal length (in log) and first radial term, each in its spread."""
    focal = np.log(lens.fx_px / lens.width_px / _FOCAL) / _FOCAL_SPREAD
    return np.array([focal, (lens.distortion[0] - _K1) / _K1_SPREAD])
