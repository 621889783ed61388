"""How often heights and lengths are met in training: what posteriors are divided by, see `networks.mixture.met`."""

import numpy as np
import torch
from numpy.typing import NDArray

from vision.networks.mixture import MET_AT

#: Values are taken for this uncertain, or for this part of them, and nothing for rarer than e^-5 of the most frequent.
_BLUR, _BLUR_PART, _RAREST = 0.04, 0.08, -5.0
#: How far off, as a part of it, the lamp's place has the length of a shadow (see `shadow_loss`).
REACH_BLUR = 0.28


def met_densities(values: torch.Tensor, drawn: torch.Tensor, blur_part: float = _BLUR_PART) -> NDArray[np.float32]:
    """Log-densities (60,) at `MET_AT` of `values` (n,) that are drawn as often as `drawn` (n,) says."""
    width = torch.from_numpy(np.maximum(_BLUR, blur_part * MET_AT))
    density = torch.zeros(len(MET_AT), dtype=torch.float64)
    for some, often in zip(values.split(4096), drawn.split(4096), strict=True):
        off = (torch.from_numpy(MET_AT) - some[:, None]) / width
        density += (torch.exp(-0.5 * off**2) / width * often[:, None]).sum(0)
    density /= drawn.sum() * np.sqrt(2 * np.pi)
    return torch.log(density.clamp(min=float(density.max()) * np.exp(_RAREST))).numpy().astype(np.float32)


def often_drawn(classes: torch.Tensor, drawn: torch.Tensor, count: int) -> NDArray[np.float32]:
    """Log-frequencies (`count`,) of `classes` (n,) that are drawn as often as `drawn` (n,) says."""
    weight = torch.bincount(classes, drawn.float(), count) + 1e-3 * drawn.sum()
    return torch.log(weight / weight.sum()).numpy().astype(np.float32)
