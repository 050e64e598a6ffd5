"""browse.py CHROMIUM PAGE SHOT.png: what a headless browser makes of a page.

Prints the number of console messages and of colors in the screenshot. The
network is off: whatever the page would load is an error in the console.
"""
import os
import struct
import subprocess
import sys
import tempfile
import zlib


def browse(chromium, page, shot):
    with tempfile.TemporaryDirectory() as profile:
        # HOME: the crash handler and the caches go there.
        done = subprocess.run(
            [chromium, "--headless", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", f"--user-data-dir={profile}",
             "--host-resolver-rules=MAP * ~NOTFOUND", "--hide-scrollbars",
             "--enable-logging=stderr", "--window-size=1200,1600",
             f"--screenshot={shot}", "file://" + os.path.abspath(page)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, "HOME": profile}, timeout=120, check=False)
    return [line for line in done.stdout.splitlines() if "CONSOLE" in line]


def undo_filter(kind, row, above, step):
    """One row of a PNG as it was before its filter."""
    row = bytearray(row)
    for i, value in enumerate(row):
        left = row[i - step] if i >= step else 0
        up = above[i]
        corner = above[i - step] if i >= step else 0
        if kind == 1:
            guess = left
        elif kind == 2:
            guess = up
        elif kind == 3:
            guess = (left + up) // 2
        elif kind == 4:
            guess = min((left, up, corner),
                        key=lambda c: abs(left + up - corner - c))
        else:
            guess = 0
        row[i] = (value + guess) & 255
    return row


def count_colors(path):
    with open(path, "rb") as f:
        data = f.read()[8:]
    pixels = b""
    while data:
        length, kind = struct.unpack(">I4s", data[:8])
        chunk = data[8:8 + length]
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", chunk[:10])
        elif kind == b"IDAT":
            pixels += chunk
        data = data[12 + length:]
    assert depth == 8 and color in (2, 6), "an RGB or RGBA screenshot"
    step = 3 if color == 2 else 4
    raw = zlib.decompress(pixels)
    pitch = width * step
    above, colors = bytes(pitch), set()
    for y in range(height):
        at = y * (pitch + 1)
        above = undo_filter(raw[at], raw[at + 1:at + 1 + pitch], above, step)
        colors.update(bytes(above[x:x + step]) for x in range(0, pitch, step))
    return len(colors)


def main():
    messages = browse(*sys.argv[1:])
    print("\n".join(messages))
    print(f"console: {len(messages)} messages")
    print(f"screenshot: {count_colors(sys.argv[3])} colors")


if __name__ == "__main__":
    main()
