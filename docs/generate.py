"""Writes the pages that follow from the program itself: the command line's help, the keys of scenes, all messages.

generate.py FOLDER, with LOCDYN_BIN naming the folder of the program `locdyn`.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import message_list

FOLDER = Path(sys.argv[1])
PROGRAM = os.path.join(os.environ["LOCDYN_BIN"], "locdyn")
COMMANDS = ("info", "solve", "compare", "bench", "simulate", "view")


def told(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else ""


def command_line():
    yield "# Command line\n"
    for command in COMMANDS:
        help_text = told(command, "--help")
        if help_text:
            yield f"## locdyn {command}\n\n```text\n{help_text.strip()}\n```\n"


def kind(schema):
    """What a value may be, in words."""
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[1]
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return ", ".join(f"`{choice}`" for choice in schema["enum"])
    for several in ("oneOf", "anyOf"):
        if several in schema:
            return " or ".join(dict.fromkeys(kind(one) for one in schema[several]))
    if schema.get("type") == "array":
        items = schema.get("items")
        return "array of " + (kind(items) if isinstance(items, dict) else "values")
    return str(schema.get("type", "value"))


def table(schema):
    required = set(schema.get("required", ()))
    rows = []
    for key, value in schema.get("properties", {}).items():
        about = value.get("description", "").replace("|", "\\|")
        rows.append(f"| `{key}`{' *' if key in required else ''} | {kind(value)} | {about} |")
    return ["| key | value | |", "|---|---|---|", *rows, ""] if rows else []


def described_inside(schema):
    """(key, schema) of the objects that an object's keys hold, alone or in arrays."""
    for key, value in schema.get("properties", {}).items():
        inner = value.get("items") if value.get("type") == "array" else value
        if isinstance(inner, dict) and ("properties" in inner or any("properties" in one for one in inner.get("oneOf", ()))):
            yield key, inner


def objects(name, schema):
    """A heading with a table for each object that the schema describes under a name."""
    if schema.get("properties"):
        yield f"## {name}\n"
        yield "\n".join(table(schema))
    for key, inner in described_inside(schema):
        yield from objects(key if name == "the scene" else f"{name}: {key}", inner)
    for several in ("oneOf", "anyOf"):
        for one in schema.get(several, ()):
            if "properties" in one:
                constant = one["properties"].get("type", one["properties"].get("kind", {})).get("const", "")
                yield from objects(f"{name} {constant}".strip(), one)


def scene_keys():
    schema = json.loads(told("simulate", "--schema"))
    yield "# Keys of scenes\n"
    yield "Made from the schema that the reader itself prints (`locdyn simulate --schema`). A star: required.\n"
    yield from objects("the scene", schema)
    for name, one in sorted(schema.get("$defs", {}).items()):
        yield from objects(name, one)


FOLDER.mkdir(exist_ok=True)
for page, lines in (("command_line.md", command_line()), ("scene_keys.md", scene_keys()),
                    ("messages.md", message_list.page())):  # fmt: skip
    text = "\n".join(lines) + "\n"
    path = FOLDER / page
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
