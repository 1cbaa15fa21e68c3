"""What Doxygen reads out of the public headers: its XML, with the conventions of this library put into it.

The type that a header is named after is told of by the comment that opens the header. A comment before a function stands
for those that follow it without a blank line or another comment; one behind a line, for all that the line declares.
"""

import hashlib
import re
import subprocess
from collections import namedtuple
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
SETTINGS = """
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
QUIET = YES
WARN_IF_UNDOCUMENTED = NO
JAVADOC_AUTOBRIEF = NO
EXTRACT_STATIC = YES
MACRO_EXPANSION = YES
EXCLUDE_SYMBOLS = locdyn::detail locdyn::detail::*
"""
Symbol = namedtuple("Symbol", "file line kind name documented")


def public_headers(binaries):
    """The installed headers, as <locdyn/...> names them, from the build that the programs lie in."""
    return (Path(binaries).parent / "docs" / "public_headers.txt").read_text(encoding="utf-8").split()


def keep_current(headers, out):
    """As `run_doxygen`, but where the XML in out is of these very headers it stays: Sphinx, which is called once for
    each form of the manual, then reads no page twice."""
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for header in headers:
        digest.update(header.encode() + b"\0" + (ROOT / header).read_bytes() + b"\0")
    fingerprint = Path(out) / "fingerprint"
    if fingerprint.exists() and fingerprint.read_text(encoding="utf-8") == digest.hexdigest():
        return
    fingerprint.unlink(missing_ok=True)
    run_doxygen(headers, out)
    fingerprint.write_text(digest.hexdigest(), encoding="utf-8")


def run_doxygen(headers, out):
    """Writes the XML of these headers, relative to the root of the project, into out/xml, and no other."""
    Path(out).mkdir(parents=True, exist_ok=True)
    for path in (Path(out) / "xml").glob("*.xml"):
        path.unlink()  # a header may be gone
    settings = SETTINGS + f"STRIP_FROM_PATH = {ROOT}\nOUTPUT_DIRECTORY = {out}\nINPUT = "
    settings += " ".join(str(ROOT / header) for header in headers) + "\n"
    done = subprocess.run(["doxygen", "-"], input=settings, capture_output=True, text=True)
    # A specialisation of what the standard library has is told of where it is used.
    lines = [line for line in done.stderr.splitlines() if "std::hash" not in line]
    if done.returncode != 0 or lines:
        raise RuntimeError("\n".join(["doxygen: expected no warning, found:", *lines]))
    trees = {path: ElementTree.parse(path) for path in sorted((Path(out) / "xml").glob("*.xml"))}
    for tree in trees.values():
        for member in tree.iter("memberdef"):
            mend(member)
    share_out_namespaces(trees.values())
    for path, tree in trees.items():
        tree.write(path, encoding="utf-8", xml_declaration=True)


def share_out_namespaces(trees):
    """Members of namespaces into the files that declare them: a page shows a file's part of a namespace alone."""
    compounds = [compound for tree in trees for compound in tree.iter("compounddef")]
    files = {place_of_file(c): c for c in compounds if c.get("kind") == "file" and c.find("location") is not None}
    for namespace in (compound for compound in compounds if compound.get("kind") == "namespace"):
        for section in namespace.findall("sectiondef"):
            for member in section.findall("memberdef"):
                file = files.get(place(member)[0])
                if file is None or "::detail" in text(namespace.find("compoundname")):
                    continue
                own = file.find(f"sectiondef[@kind='{section.get('kind')}']")
                if own is None:
                    own = ElementTree.SubElement(file, "sectiondef", kind=section.get("kind"))
                own.append(member)
                section.remove(member)
    for file in files.values():
        for inner in file.findall("innernamespace") + file.findall("innerclass"):
            file.remove(inner)


def place_of_file(compound):
    return compound.find("location").get("file")


def text(element):
    return "".join(element.itertext()).strip() if element is not None else ""


def told(element):
    """Does it have a text of its own?"""
    return any(text(element.find(part)) for part in ("briefdescription", "detaileddescription"))


def place(element):
    at = element.find("location")
    return at.get("file"), int(at.get("line"))


def source_lines(file, known={}):
    if file not in known:
        known[file] = (ROOT / file).read_text(encoding="utf-8").split("\n")
    return known[file]


def opening(file):
    """The comment at the head of a header, its lines without the slashes."""
    lines = source_lines(file)
    start = 1 if lines[0].startswith("#pragma") else 0
    end = start
    while end < len(lines) and lines[end].startswith("//"):
        end += 1
    return [line[3:] for line in lines[start:end]]


def comment_of_its_group(member):
    """The lines of the comment that stands before the functions that this one follows."""
    file, line = place(member)
    if not file.endswith(".hpp"):
        return []
    lines = source_lines(file)
    at = line - 2
    while at >= 0 and lines[at].strip() and "//" not in lines[at] and not lines[at].strip().endswith(":"):
        at -= 1
    end = at + 1
    while at >= 0 and lines[at].strip().startswith("/// "):
        at -= 1
    return [words.strip()[4:] for words in lines[at + 1 : end]]


def comment_of_its_line(member):
    """What stands behind the line that declares it and others, or before that line."""
    file, line = place(member)
    lines = source_lines(file)
    behind = re.search(r"(?:///<|/\*\*<) (.*)", lines[line - 1])
    if behind:
        return [behind.group(1).removesuffix("*/").strip()]
    before = line - 2
    while lines[before].strip().startswith("/// "):
        before -= 1
    return [words.strip()[4:] for words in lines[before + 1 : line - 1]]


def mend(member):
    """Gives a member the comment that it shares with others; takes away what no page can show."""
    start = member.find("initializer")
    if start is not None and "{" in text(start):
        member.remove(start)  # designated initialisers
    if told(member) or member.find("location") is None:
        return
    shared = comment_of_its_group(member) if member.get("kind") == "function" else comment_of_its_line(member)
    if shared:
        brief = member.find("detaileddescription")
        ElementTree.SubElement(brief, "para").text = " ".join(shared)


# --- what has to be told of ------------------------------------------------------------------------------------------

# What the standard library asks of iterators and ranges, and comparison for equality: told of there.
OF_THE_LANGUAGE = {"begin", "end", "operator==", "value_type", "difference_type", "reference", "pointer",
                   "iterator_category"}  # fmt: skip
# What every law has, told of at the head of ldy/law.hpp.
OF_LAWS = {"kName", "kContact", "kMaxBlocks", "blocks", "rows", "offset", "compliance", "dual_velocity", "project",
           "validate", "displacement", "violation", "discs"}  # fmt: skip


def needs_no_text(member, of):
    name, arguments = text(member.find("name")), text(member.find("argsstring"))
    if member.get("prot") == "private" or member.get("kind") in ("friend", "define") or name.startswith(("~", "@")):
        return True
    if arguments.endswith(("=default", "=delete")) or "override" in arguments or name in OF_THE_LANGUAGE:
        return True
    if member.find("reimplements") is not None or of.lower().endswith("iterator"):
        return True
    if place(member)[0].startswith("ldy/laws/") and name in OF_LAWS:
        return True
    given = [text(parameter.find("type")).replace(" ", "") for parameter in member.findall("param")]
    return name in (of, "operator=") and given in ([], [f"const{of}&"], [f"{of}&&"])  # made, copied, moved


def snake(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def types_of(xml):
    """By header: (kind, name) of the types that it declares, those within others left out, in order."""
    index = ElementTree.parse(Path(xml) / "index.xml").getroot()
    found = {}
    for entry in index.iter("compound"):
        if entry.get("kind") not in ("class", "struct"):
            continue
        compound = ElementTree.parse(Path(xml) / f"{entry.get('refid')}.xml").getroot().find("compounddef")
        name = text(compound.find("compoundname"))
        if "detail" in name.split("::") or name.startswith("std::") or "<" in name or name.count("::") > 1:
            continue
        file, line = place(compound)
        found.setdefault(file, []).append((line, entry.get("kind"), name))
    return {file: [(kind, name) for _, kind, name in sorted(types)] for file, types in found.items()}


def symbols(xml):
    """Every public type, enumerator, function and variable that has to be told of."""
    seen = set()
    for path in sorted(Path(xml).glob("*.xml")):
        for compound in ElementTree.parse(path).getroot().iter("compounddef"):
            name = text(compound.find("compoundname"))
            scopes = name.split("::")
            if "detail" in scopes or scopes[0] == "std" or compound.get("prot") == "private":
                continue
            if compound.get("kind") in ("class", "struct", "union"):
                file, line = place(compound)
                by_the_header = snake(scopes[-1]) == Path(file).stem and bool(opening(file))
                if not scopes[-1].lower().endswith("iterator"):
                    yield Symbol(file, line, "type", name, told(compound) or by_the_header)
            elif compound.get("kind") not in ("namespace", "file"):
                continue
            for member in compound.iter("memberdef"):
                if member.get("id") in seen or needs_no_text(member, scopes[-1]):
                    continue
                seen.add(member.get("id"))
                scope = "" if compound.get("kind") == "file" else name + "::"
                file, line = place(member)
                yield Symbol(file, line, member.get("kind"), scope + text(member.find("name")), told(member))
                for value in member.findall("enumvalue"):
                    own = scope + text(member.find("name")) + "::" + text(value.find("name"))
                    yield Symbol(file, line, "enumerator", own, told(value) or told(member))
