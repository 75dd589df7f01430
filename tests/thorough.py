"""Whether to run the long forms of some tests: `CHROMAZOO_THOROUGH=1 pytest tests`."""

import os

THOROUGH = os.environ.get("CHROMAZOO_THOROUGH", "0") not in ("", "0")
