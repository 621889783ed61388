"""Axial coordinates on a plane of hexagons, pointy side up, whose centres are 1 apart."""

import numpy as np

#: Axial coordinates → the plane, x right, y up.
AXIAL_TO_PLANE = np.array([[1.0, 0.0], [0.5, -np.sqrt(3) / 2]])
#: The six neighbours of a cell, in axial coordinates, counter-clockwise from the right.
SIX = np.array([(1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)])
