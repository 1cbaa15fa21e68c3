"""No page has code of its own: what it shows comes from files that are compiled or run. Counts both."""

import re
import sys
from pathlib import Path

DOCS = Path(sys.argv[1]).resolve()
ALLOWED = ("{literalinclude}", "{toctree}", "{eval-rst}")
faults, shown = [], set()
for page in sorted(DOCS.glob("*.md")):
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        opened = re.match(r"```(\S.*)?$", line)
        if opened is None or opened.group(1) is None:
            continue
        if not opened.group(1).startswith(ALLOWED):
            faults.append(f"{page.name}:{number}: expected a file that is included, found a block of {opened.group(1)}")
        if opened.group(1).startswith("{literalinclude}"):
            path = (DOCS / opened.group(1).split()[1]).resolve()
            shown.add(path)
            if not path.is_file():
                faults.append(f"{page.name}:{number}: expected a file, found none: {path}")
left_out = [path.name for path in sorted((DOCS / "snippets").iterdir()) if path not in shown]
faults += [f"snippets/{name}: expected a page that shows it, found none" for name in left_out]
print("\n".join([*faults, f"{len(shown)} files shown"]))
sys.exit(1 if faults or len(shown) < 5 else 0)
