# The manual. `./dev docs` builds it into build/docs/html, without network.
#
# Environment: LOCDYN_BIN, where the command line lies, and PYTHONPATH with the package, both set by `./dev docs` and the
# tests; what is generated (`generate.py`) comes from them and is never stale.

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import cpp_reference  # noqa: E402

project = "locdyn"
author = "the locdyn authors"
copyright = "the locdyn authors"
version = release = next(
    line.split("VERSION ")[1].split()[0]
    for line in (HERE.parent / "CMakeLists.txt").read_text(encoding="utf-8").splitlines()
    if line.startswith("project(locdyn")
)
extensions = ["myst_parser", "sphinx.ext.autodoc", "breathe"]
breathe_projects = {"locdyn": str(HERE / "generated" / "doxygen" / "xml")}
breathe_default_project = "locdyn"
breathe_show_include = False
myst_heading_anchors = 3
exclude_patterns = ["snippets/*", "README.md", "generated/doxygen/*"]
man_pages = [("generated/command_line", "locdyn", "frictional contact between many bodies", "", 1)]
html_theme = "furo"
html_title = f"locdyn {version}"
autodoc_member_order = "bysource"
autodoc_typehints = "none"
default_role = "code"


def setup(app):
    generated = HERE / "generated"
    subprocess.run([sys.executable, str(HERE / "generate.py"), str(generated)], check=True, env=os.environ)
    cpp_reference.write(os.environ["LOCDYN_BIN"], generated)
