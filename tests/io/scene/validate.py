"""validate.py SCHEMA DOCUMENTS: does the schema take every document under "sound" and none under "wrong"?"""

import json
import sys

from jsonschema import Draft202012Validator

with open(sys.argv[1]) as file:
    schema = json.load(file)
with open(sys.argv[2]) as file:
    documents = json.load(file)


class Validator(Draft202012Validator):
    """A part of a document that a part of the schema has taken is not looked at again: documents differ in few places."""

    taken = set()

    def iter_errors(self, instance, _schema=None):
        part = (id(self.schema if _schema is None else _schema), json.dumps(instance))
        if part not in self.taken:
            errors = list(super().iter_errors(instance, _schema))
            if not errors:
                self.taken.add(part)
            yield from errors


Draft202012Validator.check_schema(schema)
validator = Validator(schema)
faults = 0
for index, document in enumerate(documents["sound"]):
    for error in validator.iter_errors(document):
        print(f"sound[{index}] refused at {error.json_path}: {error.message[:200]}")
        faults += 1
for index, document in enumerate(documents["wrong"]):
    if validator.is_valid(document):
        print(f"wrong[{index}] taken")
        faults += 1
sys.exit(1 if faults else 0)
