"""validate.py SCHEMA DOCUMENTS: does the schema take every document under "sound" and none under "wrong"?"""

import json
import sys

from jsonschema import Draft202012Validator

with open(sys.argv[1]) as file:
    schema = json.load(file)
with open(sys.argv[2]) as file:
    documents = json.load(file)

Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
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
