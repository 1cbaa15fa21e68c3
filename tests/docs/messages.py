"""The manual's messages are those of the code, each with what to do about it. Counts them."""

import re
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
sys.path.insert(0, str(DOCS))
import message_list

faults = []
known = [message for message, _ in message_list.messages()]
faults += [f"expected advice in message_list.py, found none for: {message}" for message in known
           if message_list.advice(message) is None]  # fmt: skip
used = {message_list.advice(message) for message in known}
faults += [f"expected messages that fit, found none for the advice: {what}" for _, what in message_list.ADVICE
           if what not in used]  # fmt: skip

# Those of the page for people: an ellipsis of the code stands for anything there.
patterns = [re.compile(".*".join(map(re.escape, message.split("…")))) for message in known]
told = re.findall(r"`[^`]*?(expected [^`]+)`", (DOCS / "messages.md").read_text(encoding="utf-8"))
for line in told:
    if not any(message.startswith(line) or pattern.match(line) for message, pattern in zip(known, patterns)):
        faults.append(f"messages.md: expected a message of the code, found: {line}")
print("\n".join([*faults, f"{len(known)} messages, {len(used)} kinds of advice, {len(told)} told of one by one"]))
sys.exit(1 if faults or len(known) < 100 or len(told) < 3 else 0)
