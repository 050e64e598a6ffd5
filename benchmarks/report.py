"""What the reports of targets.py and peers.py share: Markdown, the machine, docs."""
import os
import subprocess
import sys
import time


def markdown(lines):
    """A table of GitHub's Markdown, aligned; the first line is its header."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    rows = ["| " + " | ".join(text.ljust(width) for text, width in zip(line, widths)) + " |" for line in lines]
    rows.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return rows


def machine():
    name = "unknown CPU"
    with open("/proc/cpuinfo") as stream:
        for line in stream:
            if line.startswith("model name"):
                name = line.split(":", 1)[1].strip()
                break
    caches = []
    for level in "LEVEL2_CACHE_SIZE", "LEVEL3_CACHE_SIZE":
        done = subprocess.run(["getconf", level], stdout=subprocess.PIPE, text=True)
        caches.append(int(done.stdout.strip() or 0) // 1024)
    return {"cpu": name, "cores": os.cpu_count(), "l2_kib": caches[0], "l3_kib": caches[1],
            "load": [round(load, 1) for load in os.getloadavg()]}


def describe(about):
    return (f"{about['cpu']}, {about['cores']} cores, L2 {about['l2_kib']} KiB, L3 {about['l3_kib']} KiB reported, "
            f"load {about['load'][0]} before the run")


def rest(threads):
    """Lets the threads of the library measured before stop: they spin for up to 0.2 s."""
    if threads > 1:
        time.sleep(0.25)


def update(path, name, lines):
    """Replaces what stands between `<!-- begin name -->` and `<!-- end name -->`."""
    begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->\n"
    with open(path) as stream:
        text = stream.read()
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        sys.exit(f"error: {path} has no {begin.strip()} with its end")
    with open(path, "w") as stream:
        stream.write(before + begin + "\n".join(lines) + "\n" + end + after)
    print(f"updated {path}")
