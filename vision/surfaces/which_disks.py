"""Light disks or dark ones? Where all that lie open seem to be of one kind, the board around them tells, and others
beside it.

Light disks on white paper and dark ones on felt are both darker than the board. But what the lamp and the camera do to
colours they do to both: how much less red, green and blue a disk has than the board depends on what the two are made
of. So it is compared with what light and dark disks of common material look like on common boards; or disks of the
colours that a user names, where these are others.
"""

from functools import lru_cache

import numpy as np

from vision.arrays import Floats, Singles
from vision.light import GAMMA
from vision.palette import (
    COMMON_DARK_DISKS,
    COMMON_LIGHT_DISKS,
    DEFAULT_DISKS,
    Colour,
    commonly_dark,
    commonly_light,
    parse_colour,
)

_BOARDS = "green moss felt olive white ivory cream beige birch sand oak silver grey brown walnut blue"
#: How far off such material is, and what a dark thing mirrors (against white).
_UNLIKE, _MIRRORED = 0.25, 0.01
#: Disks have clearly more light than others with so many times as much (logarithm), and hardly anything has so many
#: times as much as light disks: they have half of white's, and a picture's brightest pixels not much more.
_CLEARLY, _FAR = 1.2, 1.5
#: What it tells (log-odds) that others have clearly more light: hardly anything has so much more than light disks. Or
#: clearly less: black things have than dark disks, too.
_MORE, _LESS = -5.0, 3.0


def light_rather_than_dark(disks: Floats, board: Floats, named: tuple[Colour, Colour] = DEFAULT_DISKS) -> Floats:
    """Log-odds (n,) that disks are light ones, by what they (n, 3) and the colours of the bare board (k, 3) look like,
    blue-green-red against any white; on average over these colours. `named`: what light and dark ones are called."""
    light = _all(COMMON_LIGHT_DISKS) if commonly_light(named[0]) else named[:1]
    dark = _all(COMMON_DARK_DISKS) if commonly_dark(named[1]) else named[1:]
    disk_light, board_light = (np.power(np.maximum(colours, 0.0), GAMMA) for colours in (disks, board))
    ratios = np.log(disk_light[:, None] + _MIRRORED) - np.log(board_light + _MIRRORED)
    told = _likelihood(ratios.reshape(-1, 3), light) - _likelihood(ratios.reshape(-1, 3), dark)
    odds: Floats = told.reshape(len(disks), len(board)).mean(axis=1)
    return odds


def have_common_colours(named: tuple[Colour, Colour]) -> bool:
    """Whether light and dark disks that are called so are of common material."""
    return commonly_light(named[0]) and commonly_dark(named[1])


def lighter_than_others(disk: Floats, others: Singles, bright: Singles) -> float:
    """Log-odds that disks of one colour (3,) are light ones, by what seem to be spare disks (n, 3): those with clearly
    less light are dark ones then, those with clearly more light ones. And by what is `bright` about the board (3,)."""
    apart = _brightness(others) - _brightness(disk)
    more = bool((apart > _CLEARLY).any()) or bool(_brightness(bright) - _brightness(disk) > _FAR)
    return _MORE * more + _LESS * bool((apart < -_CLEARLY).any())


def _brightness(colours: Floats | Singles) -> Floats:
    """The logarithm of how much light colours (…, 3) give back."""
    return np.asarray(np.log(np.power(np.maximum(colours, 0.0), GAMMA) + _MIRRORED).mean(axis=-1), np.float64)


def _all(common: tuple[str, ...]) -> tuple[Colour, ...]:
    """What disks may look like that are called by a common word: like any common ones."""
    return tuple(map(parse_colour, common))


def _likelihood(ratios: Floats, disks: tuple[Colour, ...]) -> Floats:
    """Log-likelihoods (n,) of colours against the board's (n, 3), logarithms, up to a constant, if such disks lie
    there."""
    usual = _usual_ratios(disks)
    off = ((ratios[:, None] - usual) / _UNLIKE) ** 2
    return np.asarray(np.logaddexp.reduce(-0.5 * off.sum(axis=2), axis=1) - np.log(len(usual)))


@lru_cache
def _usual_ratios(disks: tuple[Colour, ...]) -> Floats:
    """What disks look like against boards, (n, 3) logarithms."""
    boards = [parse_colour(word) for word in _BOARDS.split()]
    disk, board = (np.log([_light(colour) for colour in colours]) for colours in (disks, boards))
    return np.asarray((disk[:, None] - board).reshape(-1, 3))


def _light(colour: Colour) -> Floats:
    """How much of white light a colour gives back, and mirrors, (3,) blue-green-red."""
    return np.array(colour.linear[::-1]) + _MIRRORED
