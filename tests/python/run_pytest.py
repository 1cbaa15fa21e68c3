"""pytest on the files named, or one line that says it is missing."""

import sys

try:
    import pytest
except ImportError:
    print("skipped: no pytest")
    sys.exit(0)

sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[1:]]))
