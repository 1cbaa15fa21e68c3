"""Every public name has a docstring."""

import inspect
import re

import locdyn


def text_of(thing):
    """Its docstring without the signatures that pybind11 writes into it."""
    lines = (getattr(thing, "__doc__", None) or "").splitlines()
    signature = re.compile(r"(\d+\. )?" + re.escape(getattr(thing, "__name__", "?")) + r"\(.*\) -> ")
    return "".join(line for line in lines if not signature.match(line) and line != "Overloaded function.").strip()


def public_members(owner, prefix):
    for name, member in vars(owner).items():
        if name.startswith("_") and name not in ("__init__",):
            continue
        yield f"{prefix}.{name}", member


def without_docstring():
    missing, count = [], 0
    for name in locdyn.__all__:
        if name == "__version__":
            continue
        thing = getattr(locdyn, name)
        count += 1
        if not text_of(thing):
            missing.append(name)
        if not inspect.isclass(thing):
            continue
        for label, member in public_members(thing, name):
            if label.endswith(".__init__") or not (callable(member) or isinstance(member, (property, classmethod, staticmethod))):
                continue
            count += 1
            if not text_of(getattr(thing, label.rsplit(".", 1)[1])):
                missing.append(label)
    return missing, count


def test_every_public_name_has_one():
    missing, count = without_docstring()
    print(count, "public names")
    assert count > 150
    assert missing == []
