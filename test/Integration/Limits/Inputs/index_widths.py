"""Reads LLVM IR on standard input and says whether an index loses bits: whatever is cut
from 64 bits to 32 must be masked to a few of its low bits at once, and addresses and
sizes of memory must be 64 bits."""
import re
import sys

text = sys.stdin.read()
problems, masked = [], 0
# Names are those of one function.
for function in re.findall(r"^define .*?^}", text, re.M | re.S):
    name = re.search(r"@([\w.]+)\(", function).group(1)
    for value in re.findall(r"(%[\w.]+) = trunc (?:nuw |nsw )*(?:<\d+ x )?i64>? .* to (?:<\d+ x )?i(?:32|16|8)\b", function):
        uses = [line for line in function.split("\n") if re.search(re.escape(value) + r"(?![\w.])", line) and f"{value} =" not in line]
        if all(re.search(rf"= and i32 {re.escape(value)}, (\d+)$", line) and int(line.rsplit(" ", 1)[1]) < 64 for line in uses):
            masked += 1
        else:
            problems.append(f"{name}: {value} is cut: {[u.strip() for u in uses]}")
    for line in re.findall(r".*getelementptr.*", function):
        indices = re.findall(r", (<?[^,]*i\d+)>? (%[\w.]+)", line.split("getelementptr", 1)[1])
        problems += [f"{name}: {line.strip()}" for kind, _ in indices if not kind.endswith("i64")]
    for line in re.findall(r".*call .*@malloc\(.*", function):
        if "@malloc(i64 " not in line:
            problems.append(f"{name}: {line.strip()}")
print("\n".join(problems))
print(f"{masked} cut to their low bits, {len(problems)} problems, {text.count('getelementptr')} addresses")
sys.exit(int(bool(problems) or masked == 0))
