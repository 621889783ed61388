"""Which LED lies under which cell, found by lighting LEDs and looking where the picture glows.

Few LEDs are lit one after another. Many are lit in the patterns of a Gray code, each pattern followed by its opposite,
so that every pixel that glows tells by its sequence of bright and dark which LED it belongs to; LEDs that this leaves
open are lit alone. Whatever is still not seen, or seen in two cells alike, is refused with its reason.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import CalibrationError
from hardware.errors import LedLayoutError
from hardware.frame import BLACK, LedFrame, Rgb
from hardware.layout import LedLayout, parse_panel
from vision.arrays import Floats
from vision.picture import Picture

#: Shows a frame on the LEDs and takes a picture of it, (H, W, 3) uint8.
Shoot = Callable[[LedFrame], Picture]

LIT: Rgb = (96, 96, 96)
#: More LEDs than this are lit in the patterns of a Gray code.
MOST_ONE_BY_ONE = 32
#: A glow is at least this many grey levels above the dark picture, and this many times the noise.
LEAST_GLOW, LEAST_OVER_NOISE = 4.0, 8.0
#: A glow is in one cell if the next cell gets less than this share of its light.
TWICE_SHARE = 0.6
_CLEAR_SHARE = 0.4
_BLUR_PITCHES = 0.06
_CELL_RADIUS_PITCHES = 0.46
_LEAST_AREA_PITCHES = 0.01

FloatImage = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class LedPlace:
    """Where a LED glows: cell index (−1: nowhere), distance from the cell's centre in pitches, what is wrong if so."""

    cell: int
    distance: float = 0.0
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class LedPlaces:
    """Every LED's place; `weakest`: the faintest glow in grey levels above the dark picture; `pictures` were taken."""

    leds: tuple[LedPlace, ...]
    weakest: float
    pictures: int


@dataclass(slots=True)
class _Eye:
    """Looks at differences to the dark picture, cell by cell."""

    shoot: Shoot
    count: int
    names: Sequence[str]
    centres_px: Floats
    pitch_px: Floats
    pictures: int = 0
    dark: FloatImage = field(init=False)
    label: NDArray[np.int16] = field(init=False)
    least: float = field(init=False)

    def __post_init__(self) -> None:
        self.dark = self._picture(())
        again = self._difference(())
        self.least = max(LEAST_GLOW, LEAST_OVER_NOISE * float(np.std(again)))
        self.label = np.full(self.dark.shape[:2], -1, np.int16)
        for i, ((x, y), pitch) in enumerate(zip(self.centres_px, self.pitch_px, strict=True)):
            cv2.circle(self.label, (round(x), round(y)), round(pitch * _CELL_RADIUS_PITCHES), i, cv2.FILLED)
        self.dark = self._picture(())

    def _picture(self, leds: Sequence[int]) -> FloatImage:
        lit = set(leds)
        image = self.shoot(LedFrame.of(LIT if led in lit else BLACK for led in range(self.count)))
        self.pictures += 1
        sigma = float(np.median(self.pitch_px)) * _BLUR_PITCHES
        return np.asarray(cv2.GaussianBlur(image.astype(np.float32), (0, 0), max(sigma, 0.8)), np.float32)

    def _difference(self, leds: Sequence[int]) -> FloatImage:
        """How much brighter than in the dark, (H, W); a change of light over the whole picture is taken off."""
        rise = (self._picture(leds) - self.dark).max(axis=2)
        out: FloatImage = rise - np.float32(np.median(rise))
        return out

    def glow(self, leds: Sequence[int]) -> FloatImage:
        """The glow of some LEDs within cells, (H, W); 0 where it is too faint or outside the board."""
        rise = self._difference(leds)
        return np.where((rise >= self.least) & (self.label >= 0), rise, np.float32(0))

    def place(self, glow: FloatImage) -> tuple[LedPlace, float]:
        """The cell of one LED's glow with its peak, or what is wrong with it."""
        lit = glow > 0
        light = np.bincount(self.label[lit], glow[lit], minlength=len(self.names))
        first, second = np.argsort(light)[::-1][:2]
        if lit.sum() < _LEAST_AREA_PITCHES * float(np.median(self.pitch_px)) ** 2:
            return LedPlace(-1, trouble="no glow seen"), 0.0
        if light[second] > TWICE_SHARE * light[first]:
            return LedPlace(-1, trouble=f"glow in {self.names[first]} and in {self.names[second]} alike"), 0.0
        ys, xs = np.nonzero(lit & (self.label == first))
        weights = glow[ys, xs]
        centre = np.array([np.average(xs, weights=weights), np.average(ys, weights=weights)])
        distance = float(np.linalg.norm(centre - self.centres_px[first]) / self.pitch_px[first])
        return LedPlace(int(first), distance), float(weights.max())


def locate_leds(
    shoot: Shoot, count: int, names: Sequence[str], centres_px: Floats, pitch_px: Floats, gray: bool | None = None
) -> LedPlaces:
    """Find the cell of every LED from 0 to `count` − 1 on an empty board that stays still.

    `centres_px` (N, 2) and `pitch_px` (N,) are the cells' centres and apparent pitch in the pictures, in the order of
    `names`. `gray` None chooses by the number of LEDs. LEDs not seen, or seen twice, have their trouble in the answer.
    Raises `CalibrationError` when a check with every second cell lit shows that the places cannot be right.
    """
    if count < 1:
        raise CalibrationError(f"there is no LED to calibrate: the count is {count}")
    eye = _Eye(shoot, count, names, centres_px, pitch_px)
    found: dict[int, tuple[LedPlace, float]] = {}
    if gray if gray is not None else count > MOST_ONE_BY_ONE:
        found = _by_gray_code(eye)
    for led in range(count):
        if led not in found:
            found[led] = eye.place(eye.glow((led,)))
    places = tuple(found[led][0] for led in range(count))
    _check(eye, places)
    seen = [peak for place, peak in found.values() if place.cell >= 0]
    return LedPlaces(places, min(seen, default=0.0), eye.pictures)


def _check(eye: _Eye, places: Sequence[LedPlace]) -> None:
    """Light every second cell, then the others, and see that the places hold."""
    lit = [
        [led for led, place in enumerate(places) if place.cell >= 0 and place.cell % 2 == parity] for parity in (0, 1)
    ]
    light = []
    for leds in lit:
        glow = eye.glow(leds)
        inside = glow > 0
        light.append(np.bincount(eye.label[inside], glow[inside], minlength=len(eye.names)))
    for cell in {place.cell for place in places if place.cell >= 0}:
        if light[cell % 2][cell] <= light[1 - cell % 2][cell]:
            raise CalibrationError(
                f"the pictures do not follow the LEDs (cell {eye.names[cell]}): "
                "did something move, or is the camera slower than --settle?"
            )


def _by_gray_code(eye: _Eye) -> dict[int, tuple[LedPlace, float]]:
    """The LEDs that the patterns place without doubt."""
    codes = [(n := led + 1) ^ (n >> 1) for led in range(eye.count)]
    value = np.zeros(eye.label.shape, np.int32)
    clear = eye.label >= 0
    strength = np.full(eye.label.shape, np.inf, np.float32)
    for bit in range(max(codes).bit_length()):
        with_bit = eye.glow([led for led, code in enumerate(codes) if code >> bit & 1])
        without = eye.glow([led for led, code in enumerate(codes) if not code >> bit & 1])
        brighter = np.maximum(with_bit, without)
        clear &= (brighter > 0) & (np.abs(with_bit - without) > _CLEAR_SHARE * brighter)
        value |= (with_bit > without).astype(np.int32) << bit
        strength = np.minimum(strength, brighter)
    found = {}
    for led, code in enumerate(codes):
        place, peak = eye.place(np.where(clear & (value == code), strength, np.float32(0)))
        if place.cell >= 0:
            found[led] = place, peak
    return found


def layout_from(
    places: LedPlaces, names: Sequence[str], like: LedLayout, panel: str = "", unseen_is_unused: bool = False
) -> LedLayout:
    """The layout that the places make, with the order, limits and baud of `like`; a panel's LEDs follow the others.

    The main LED of a cell is the one nearest to its centre. `unseen_is_unused`: LEDs between the cells that nobody
    sees are listed as unused instead of refused. Raises `CalibrationError` with the reason.
    """
    hidden = [i for i, place in enumerate(places.leds) if unseen_is_unused and place.trouble == "no glow seen"]
    troubles = [f"LED {i}: {p.trouble}" for i, p in enumerate(places.leds) if p.trouble and i not in hidden]
    if troubles:
        more = f", and {len(troubles) - 4} more" if len(troubles) > 4 else ""
        raise CalibrationError(f"LEDs cannot be told apart: {'; '.join(troubles[:4])}{more}")
    cells: list[list[int]] = [[] for _ in names]
    for led, place in enumerate(places.leds):
        if place.cell >= 0:
            cells[place.cell].append(led)
    if dark := [name for name, leds in zip(names, cells, strict=True) if not leds]:
        raise CalibrationError(f"no LED glows in {', '.join(dark[:6])} ({len(dark)} of {len(names)} cells)")
    try:
        panels = parse_panel(panel, len(places.leds))
    except LedLayoutError as error:
        raise CalibrationError(str(error)) from None
    return LedLayout(
        len(places.leds) + sum(len(p.leds) for p in panels),
        tuple(names),
        tuple(tuple(sorted(leds, key=lambda led: places.leds[led].distance)) for leds in cells),
        panels,
        tuple(hidden),
        like.order,
        like.limit_ma,
        like.ceiling,
        like.baud,
    )
