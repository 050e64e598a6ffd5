"""Lying .npy files: each must give its diagnostic and exit 1 (npy-headers.test).

    npy_headers.py FOLDER PROGRAM.mlir
"""
import pathlib
import struct
import subprocess
import sys

from limited import limit_memory

GOOD = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 4), }"
DATA = b"\0" * 16


def npy(header=GOOD, data=DATA, major=1, magic=b"\x93NUMPY", length=None):
    code = "<H" if major == 1 else "<I"
    size = len(header) if length is None else length
    return magic + bytes([major, 0]) + struct.pack(code, size) + header.encode() + data


def shape(text):
    return npy(GOOD.replace("(1, 4)", text))


def descr(text):
    return npy(GOOD.replace("'<f4'", text))


# Name, content, part of the message; no message: it is read.
TABLE = [
    ("good", npy(), ""),
    ("version 2", npy(major=2), ""),
    ("version 3", npy(major=3), ""),
    ("empty", b"", "not a .npy file"),
    ("magic alone", b"\x93NUMPY", "not a .npy file"),
    ("wrong magic", npy(magic=b"\x94NUMPY"), "not a .npy file"),
    ("version 4", npy(major=4), "unknown .npy version 4"),
    ("version 0", npy(major=0), "unknown .npy version 0"),
    ("no length", npy(major=2)[:10], "truncated .npy header"),
    ("header cut", npy()[:30], "truncated .npy header"),
    ("length of 4 GiB", npy(major=2, length=0xFFFFFFFF), "truncated .npy header"),
    ("length 0", npy(length=0), "without a plain 'descr'"),
    ("no shape", npy(GOOD.replace("shape", "size")), "without 'shape'"),
    ("no order", npy(GOOD.replace("fortran_order", "order")), "without 'fortran_order'"),
    ("Fortran order", npy(GOOD.replace("False", "True")), "Fortran order is not supported"),
    ("negative extent", shape("(1, -4)"), "without 'shape'"),
    ("extent of 20 digits", shape("(1, 99999999999999999999)"), "bad extent"),
    ("2^63 - 1 elements", shape("(9223372036854775807, 4)"), "has shape"),
    ("2^64 elements", shape("(4294967296, 4294967296)"), "has shape"),
    ("no extents", shape("()"), "has shape"),
    ("three extents", shape("(1, 4, 1)"), "has shape"),
    ("text as an extent", shape("(1, four)"), "without 'shape'"),
    ("data cut", npy(data=DATA[:-1]), "has 15 bytes of data, its header says 16"),
    ("no data", npy(data=b""), "has 0 bytes of data"),
    ("more data", npy(data=DATA * 2), "has 32 bytes of data"),
    ("objects", descr("'|O'"), "has type '|O'"),
    ("big-endian", descr("'>f4'"), "has type '>f4'"),
    ("doubles", descr("'<f8'"), "has type '<f8'"),
    ("records", descr("[('a', '<f4')]"), "without a plain 'descr'"),
]
DYNAMIC = [
    ("2^63 - 1 rows", shape("(9223372036854775807, 4)"), "shape is too large"),
    ("2^62 x 8", shape("(4611686018427387904, 8)"), "shape is too large"),
    ("rows of nothing", npy(GOOD.replace("(1, 4)", "(0, 4)"), b""), ""),
    ("2^62 x 0", npy(GOOD.replace("(1, 4)", "(4611686018427387904, 0)"), b""), ""),
]


def run(program, function, path):
    return subprocess.run(["norm-run", program, f"--function={function}", f"--input=@{path}"],
                          capture_output=True, text=True, preexec_fn=lambda: limit_memory(8))


def main():
    folder, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    wrong = 0
    for function, table in (("fixed", TABLE), ("dynamic", DYNAMIC)):
        for name, content, message in table:
            path = folder / "lying.npy"
            path.write_bytes(content)
            result = run(program, function, path)
            expected = f"error: {path}: " if message else ""
            held = (result.returncode == (1 if message else 0)
                    and expected in result.stderr and message in result.stderr)
            wrong += not held
            print("ok" if held else f"WRONG ({result.returncode})", name, "-",
                  result.stderr.strip()[-200:])
    print(len(TABLE) + len(DYNAMIC), "files,", wrong, "wrong")


main()
