"""The eye: frames in, readings out. Knows no rules."""

import os

# The eye's matrices are small: more BLAS threads cost more than they give, and take the core that decoding needs.
# NumPy reads this when it is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
