"""Writes the reference of C++: a page for each room of the library, its public headers in order.

A header's page part is the comment that opens it, and by Breathe what Doxygen found in it (`doxygen_xml.py`).
"""

import itertools
from pathlib import Path

import doxygen_xml

def paragraphs(lines):
    """The opening of a header as Markdown: what is indented is a formula or a table, set as it stands."""
    for indented, part in itertools.groupby(lines, key=lambda line: line.startswith("  ") or not line.strip()):
        part = list(part)
        if not indented:
            yield "\n".join(part).replace("<", "\\<").replace("*", "\\*").replace("_", "\\_")
        elif any(line.strip() for line in part):
            yield "```text\n" + "\n".join(line.rstrip() for line in part).strip("\n") + "\n```"


def room_page(room, headers, types):
    yield f"# {room}\n"
    for header in headers:
        yield f"## <locdyn/{header}>\n"
        for paragraph in paragraphs(doxygen_xml.opening(header)):
            yield paragraph + "\n"
        for kind, name in types.get(header, ()):
            yield f"```{{doxygen{kind}}} {name}\n:members:\n:protected-members:\n:undoc-members:\n```\n"
        yield f"```{{doxygenfile}} {header}\n```\n"


def write(binaries, folder):
    """Doxygen's XML into folder/doxygen/xml, pages into folder/cpp. What has not changed is left as it is."""
    headers = doxygen_xml.public_headers(binaries)
    doxygen_xml.keep_current(headers, Path(folder).resolve() / "doxygen")
    types = doxygen_xml.types_of(Path(folder) / "doxygen" / "xml")
    rooms = {}
    for header in headers:
        rooms.setdefault(header.split("/")[0], []).append(header)
    pages = {room: "\n".join(room_page(room, inside, types)) for room, inside in rooms.items()}
    pages["index"] = "\n".join(
        ["# C++\n",
         "`#include <locdyn/locdyn.hpp>` has all of it, `#include <locdyn/ROOM.hpp>` a room or one of its targets.\n",
         "```{toctree}\n:maxdepth: 1\n", *rooms, "```\n"])  # fmt: skip
    out = Path(folder) / "cpp"
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("*.md"):
        if old.stem not in pages:
            old.unlink()
    for name, page in pages.items():
        path = out / f"{name}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != page:
            path.write_text(page, encoding="utf-8")
