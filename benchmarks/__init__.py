"""What the program is measured with: speed and accuracy, and the training of its networks.

The eye is imported before NumPy, so that NumPy computes on one core here as it does in the program.
"""

import vision as vision
