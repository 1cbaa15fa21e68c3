"""Every message of the library, the command line, Python and C, read out of the sources, and what to do about it.

A message is one line, WHERE: expected WHAT, found WHAT. What follows a number or a name at run time is an ellipsis here.
"""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("base", "threads", "bodies", "contact", "ldy", "solver", "embedding", "forces", "simulation", "queries", "sensitivity", "mechanism", "io",
         "app", "c", "python")  # fmt: skip
LITERAL = re.compile(r'f?"((?:[^"\\\n]|\\.)*)"')

# The literal that goes on after one: at once, or after what is put in between at run time.
FOLLOWS = re.compile(r'\s*(\+[^;"]*?\+)?\s*f?"((?:[^"\\\n]|\\.)*)"')

# (what a message says, what to do about it): the first that fits, those that say most first.
ADVICE = (
    (r"what sleeps has no|that converges as a whole|without position correction|are constraints for life|do not depend on velocities|"
     r"of to be the last|none or baumgarte|contacts: expected none or|follow in its state|and unique reactions|expected none or …",
     "see *Derivatives* in the theory: choose options of the stepper, or a state, that have one"),
    (r"memory|as a file can count|fits into memory|enough for the problem",
     "make the problem smaller, or take a machine with more memory"),
    (r"a build (with|that)|in a build|found when this was built|h5py|matplotlib|the (program|script)",
     "install or build the part that the line names"),
    (r"no step|no other moves|a call that is over", "do it between steps, one stepper a system"),
    (r"a system whose joint", "set the system up anew: a broken joint does not come back"),
    (r"version \d|a status of solve_report", "it was kept by another version: run again with this one"),
    (r"added to the system|a collider of the system|two colliders|colliders that are there|ids? below|bodies below|colliders below|rows below|one below|a kind below|"
     r"one entry a body|the graph, found id|held, found drive|a row of constraint|a contact in|those of (at most|two bodies)|add_contact gave|"
     r"master …", "take the id from the call that made it; the line says which there are"),
    (r"rows that|that (close|meet|agree)|closes|branch|dead point|go on from|drives that|freedom|solved|singular|pivot|"
     r"follow it|derivative of drive|full turn|two constraints|turns the body by|rigid joints alone|regular matrix|"
     r"a mechanism with a drive",
     "look at the constraints that the line names: one too many, two that contradict each other, or a position that cannot "
     "be reached"),
    (r"function|null pointer|a pointer|goes with b|a context|a detector that|integrator, found none|kind, found none|factor|graph|"
     r"accelerations, found none|vector, found none|contact detector|W as h H",
     "give it, or make it first: the line says what is missing"),
    (r"a mechanism[:,]|in a mechanism|key …|only beside|names, found|a hinge, a prismatic|x beyond|the time before|"
     r'value than "from"|as many as times|least size', "mend the scene at that place (`locdyn simulate --schema` lists the keys)"),
    (r"leave_out", "take it out of the robot's file, or say `leave_out` and go without"),
    (r"expected XML|ball joint alone|a hinge or a slide|lower limit below|a mass, found|a point, found|main class|none but of a|least first|"
     r"letters of|where it mimics|two points, found|prismatic, planar|three hinges|different directions", "mend the robot's file at that place"),
    (r"apart at start", "move the two bodies, or say `allow_overlap`"),
    (r"\bname\b|(constraint|key) once|without a name", "give each its own name, and one that is there where one is asked for"),
    (r"\bfile|folder|JSON|scene|trajectory|more numbers|lines of numbers|to be written|-o FILE|local problem|smooth|"
     r"dataset|a group|a column|checkpoint|URDF|readable|table that|dimension|one string|spacedim|room for|triangles, found|"
     r"from that of the bodies|kinematics|a mesh|two different points", "look at the file: the line says where it goes wrong"),
    (r"one of|wall or cpu|or relative|relative or|go_on|siconos|--|projection or|normal-last|another solver|a solver of|beside it|"
     r"info, solve|facets|every=|a mask|1, 2|2 or 3|commas|runs, found none|an option of|sphere, box|halvings|LOCDYN_|scaled, found|max_work",
     "say one of what the line lists (`--help`, `locdyn simulate --schema`)"),
    (r"some of the rows in use|Coulomb|bilateral laws|friction|stiffness|restitution|rolling|make a law|contacts (in|alone)|blocks and rows",
     "choose a law or a solver that has it (`locdyn solve --list`)"),
    (r"shape|of size|square|n×n|symmetric (block|matrix)|numbers and one|real numbers|pattern|ascending|up to|U and R|a Scene|"
     r"numbers, texts|column by column|column of G|status 0|duration|(velocity, angular|sphere, box)|one for each|all …|f, a|as many kinds|an int can count|those of the system|"
     r"no numbers", "give arrays and objects of the shape and type that the line asks for"),
    (r"parallel|right angles|two points apart|across|along (z|t2)|in a plane|in the plane|volume|edge in two|vertex|vertices|"
     r"vectors? of length|length > 0|length that|rotation|orthonormal|orthogonal|quaternion|determinant|radii|each normal|"
     r"points (of|that)|range from|ends apart|crank radius|extent|z for planar|not 0",
     "mend the geometry: a length of 0, two directions in one line, triangles that are not closed"),
    (r"inertia|positive definite|principal moment|finite W|W other|within 1e-140|eigenvalue",
     "look at masses and inertias, or at W: symmetric and positive semidefinite, in SI units"),
    (r"bod(y|ies)|one (that moves|with mass|that keeps|that tells)|obstacle|particle|a joint|an angle|cylinders|coordinate",
     "take a body, joint or force of the kind that the line names"),
    (r"finite|overflow|not a number", "a number is infinite or not one: look where it comes from"),
    (r"\d|number|[<>≤≥]|at (least|most)|less than", "give a number in the range that the line names"),
    (r"^expected (a |the |that of |all )?…|^expected (a|the|that of)$", "the line says what is asked for"),
)


def unescaped(literal):
    return literal.replace('\\"', '"').replace("\\\\", "\\").replace("\\n", "")


def messages_in(path):
    """The messages of one source, from "expected" on."""
    text = path.read_text(encoding="utf-8")
    code = "\n".join("" if line.lstrip().startswith(("//", "#", "*", '"""')) else line for line in text.split("\n"))
    yield from messages_of_calls(code)
    for match in LITERAL.finditer(code):
        if "expected " not in match.group(1) or "what was found" in match.group(1) or "project(" in match.group(1):
            continue
        message, end = match.group(1), match.end()
        while follows := FOLLOWS.match(code, end):
            message += ("…" if follows.group(1) else "") + follows.group(2)
            end = follows.end()
        if path.suffix == ".py":
            message = re.sub(r"\{[^{}]*\}", "…", message)
        if re.match(r"\s*\+", code[end:]):
            message += "…"
        if "found" in message or len(message.split("expected ", 1)[1]) > 12:
            yield unescaped("expected " + message.split("expected ", 1)[1])


def arguments(code, at):
    """Those of a call whose bracket opens before `at`."""
    parts, depth, start, place = [], 0, at, at
    while depth >= 0 and place < len(code):
        literal = LITERAL.match(code, place)
        if literal:
            place = literal.end()
            continue
        depth += (code[place] in "([{") - (code[place] in ")]}")
        if depth < 0 or (depth == 0 and code[place] == ","):
            parts.append(code[start:place])
            start = place + 1
        place += 1
    return parts


def spelled(argument):
    """A text made of literals, with an ellipsis for what is put in at run time."""
    pieces = [LITERAL.fullmatch(piece.strip()) for piece in re.split(r"\s\+\s", argument.removeprefix("std::string("))]
    return re.sub("(…)+", "…", "".join(piece.group(1) if piece else "…" for piece in pieces))


def messages_of_calls(code):
    """Those of fail(where, what is expected, what was found), and of what else is called so."""
    for match in re.finditer(r"\b(?:fail|refuse|fault|FileError)\(", code):
        given = arguments(code, match.end())
        if len(given) >= 3 and '"' in given[-2] and "expected " not in "".join(given):
            yield unescaped(f"expected {spelled(given[-2])}, found {spelled(given[-1])}")


def messages():
    """(message, the files that it is in), in alphabetical order."""
    found = {}
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*")):
            if path.suffix in (".cpp", ".hpp", ".py") and "locdyn-" not in path.name:
                for message in messages_in(path):
                    found.setdefault(message, set()).add(str(path.relative_to(ROOT)))
    return sorted((message, sorted(files)) for message, files in found.items())


def advice(message):
    return next((what for pattern, what in ADVICE if re.search(pattern, message)), None)


def page():
    known = messages()
    yield "# Every message\n"
    yield (f"{len(known)} messages, read out of the sources when this page was made. Before `expected` stands where: an argument, "
           "a field, a file. `…` is what the message says in its place.\n")  # fmt: skip
    by_advice = {}
    for message, files in known:
        by_advice.setdefault(advice(message), []).append((message, files))
    for what in dict.fromkeys(what for _, what in ADVICE):
        if what in by_advice:
            yield f"## {what[0].upper()}{what[1:]}\n"
            yield "| message | in |\n|---|---|"
            for message, files in by_advice[what]:
                told = message.replace("|", "\\|").replace("`", "'")
                yield f"| `{told}` | {', '.join(files[:3])}{', …' if len(files) > 3 else ''} |"
            yield ""
