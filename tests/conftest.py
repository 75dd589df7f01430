"""What all tests share: how hypothesis draws its examples, and one thread for each process.

The profile `ci` is the default: the same examples on every run, and no deadline that a slow machine
could miss. `HYPOTHESIS_PROFILE=explore pytest` draws new examples, and many more of them.
"""

import os

from hypothesis import HealthCheck, settings

# Threads of torch that wait for each other on busy cores slow small networks down many times over.
os.environ.setdefault("OMP_NUM_THREADS", "1")

settings.register_profile(
    "ci", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "explore", parent=settings.get_profile("ci"), derandomize=False, max_examples=1000
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
