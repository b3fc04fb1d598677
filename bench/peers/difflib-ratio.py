"""Reads a pair of texts as JSON, {"a", "b"}, and prints what difflib says of it and how long that took."""
import difflib
import json
import platform
import sys
import time

pair = json.load(sys.stdin)
# As warm as the other side, which repeats its call.
difflib.SequenceMatcher(None, pair["a"][:1000], pair["b"][:1000], autojunk=False).ratio()
started_at = time.perf_counter()
ratio = difflib.SequenceMatcher(None, pair["a"], pair["b"], autojunk=False).ratio()
duration_ms = (time.perf_counter() - started_at) * 1000
print(json.dumps({"ratio": ratio, "durationMs": duration_ms, "python": platform.python_version()}))
