# lit configuration: FileCheck tests over norm-opt, norm-compile and norm-run.
import ctypes.util
import datetime
import glob
import os
import platform
import shutil
import subprocess
import sys

import lit.formats
from lit.llvm import llvm_config

config.name = "NORM-MLIR"
config.test_format = lit.formats.ShTest(execute_external=False)
if lit_config.params.get("quick") == "1":
    sys.path.append(os.path.join(os.path.dirname(__file__), "Inputs"))
    import quick_format # `make check-quick`
    config.test_format = quick_format.QuickFormat(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "lit.cfg.py"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.norm_obj_root, "test")

bin_dir = os.path.join(config.norm_obj_root, "bin")
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
llvm_config.with_environment("PATH", bin_dir, append_path=True)
config.environment["PATH"] = os.pathsep.join(
    [bin_dir, config.llvm_tools_dir, config.environment["PATH"]]
)
config.substitutions.append(("%llvm_tools_dir", config.llvm_tools_dir))
config.substitutions.append(("%llvm_lib_dir", config.llvm_lib_dir))
config.substitutions.append(("%mlir_include_dir", config.mlir_include_dir))
config.substitutions.append(("%norm_src_root", config.norm_src_root))
config.substitutions.append(("%norm_obj_root", config.norm_obj_root))
# Debian's python has the numpy that make deps installs.
has_debian_python = os.path.exists("/usr/bin/python3")
python = "/usr/bin/python3" if has_debian_python else "python3"
config.substitutions.append(("%python", python))

# Scripts that run norm-opt alone, for which `make check-quick` knows these names.
config.substitutions.append(
    ("%{near_misses}", f"{python} {config.test_source_root}/Recognition/Inputs/near_misses.py"))
config.substitutions.append(
    ("%{recognized}", f"{python} {config.test_source_root}/Corpus/Inputs/run_corpus.py --no-run"))

# For scripts that import normtest; tests with a PYTHONPATH of their own add it.
normtest = os.path.join(config.test_source_root, "Inputs")
config.environment["PYTHONPATH"] = normtest
config.substitutions.append(("%normtest", normtest))

# Random programs, and the part of a product that runs, are others each day; a failure shows
# its seed, and --param seed=NUMBER repeats it.
config.substitutions.append(
    ("%seed", lit_config.params.get("seed", str(101 * datetime.date.today().toordinal()))))

# Sanitizers: programs of ours have them, LLVM's libraries and Python have not.
if config.llvm_use_sanitizer:
    suppressions = os.path.join(config.test_source_root, "lsan.supp")
    config.environment["ASAN_OPTIONS"] = ":".join([
        # BumpPtrAllocator poisons in our code and unpoisons in LLVM's: not at all.
        "allow_user_poisoning=0",
        # A test that crashes on purpose has its own handler, which must run.
        "allow_user_segv_handler=1",
        # norm-opt and the plugin that it loads each have norm-mlir's globals.
        "detect_odr_violation=0",
        "detect_leaks=1",
    ])
    # What upstream never frees; every leak with a frame of ours is an error.
    config.environment["LSAN_OPTIONS"] = f"suppressions={suppressions}:print_suppressions=0"
    config.environment["UBSAN_OPTIONS"] = "halt_on_error=1:print_stacktrace=1"
    config.environment["ASAN_SYMBOLIZER_PATH"] = os.path.join(
        config.llvm_tools_dir, "llvm-symbolizer")
# What a program that links or loads our instrumented libraries is built with.
config.substitutions.append(
    ("%sanitize", "-fsanitize=address,undefined" if config.llvm_use_sanitizer else "")
)

# Features: tools that not every machine has, and the shared corpus.
if not config.llvm_use_sanitizer:
    # Programs without a sanitizer can load and link what is built.
    config.available_features.add("stock-plugin")
if lit_config.params.get("long") == "1":
    # `make check-long`: what takes minutes stands in tests that require it.
    config.available_features.add("long")
if os.path.exists(os.path.join(bin_dir, "norm-fuzz")):
    config.available_features.add("norm-fuzz") # the compiler has libFuzzer
if platform.system() == "Linux":
    config.available_features.add("linux")
if platform.machine().lower() in ("x86_64", "amd64"):
    config.available_features.add("x86_64")
    # What the machine runs, beside what it compiles for.
    with open("/proc/cpuinfo") as cpuinfo:
        flags = set(cpuinfo.read().split("flags", 1)[-1].split("\n", 1)[0].split())
    if {"avx2", "fma", "f16c", "bmi2", "movbe"} <= flags:
        config.available_features.add("x86_64-v3")
    if {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"} <= flags:
        config.available_features.add("x86_64-v4")
        if "avx512_bf16" in flags:
            config.available_features.add("avx512-bf16")
        if "avx512_fp16" in flags:
            config.available_features.add("avx512-fp16")
if shutil.which("qemu-aarch64") and shutil.which("aarch64-linux-gnu-gcc"):
    config.available_features.add("qemu-aarch64")
if shutil.which("qemu-x86_64"):
    config.available_features.add("qemu-x86_64")
ptxas = shutil.which("ptxas") or next(
    (p for p in ["/usr/local/cuda/bin/ptxas"] if os.path.exists(p)), None
)
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))
    # Another version gives other registers than those of benchmarks/results/sm_90.md.
    ptxas_version = subprocess.run([ptxas, "--version"], capture_output=True, text=True).stdout
    if "release 13.0," in ptxas_version:
        config.available_features.add("ptxas-13.0")
# Of another package than ptxas: --param nvdisasm=PATH names one that is not beside it.
nvdisasm = lit_config.params.get("nvdisasm") or shutil.which("nvdisasm") or (
    ptxas and os.path.join(os.path.dirname(ptxas), "nvdisasm")
)
has_nvdisasm = nvdisasm and os.path.exists(nvdisasm)
if has_nvdisasm:
    config.available_features.add("nvdisasm")
    config.substitutions.append(("%nvdisasm", nvdisasm))
# For what runs without it too.
config.substitutions.append(("%{nvdisasm}", f"--nvdisasm={nvdisasm}" if has_nvdisasm else ""))
libdevice = ptxas and os.path.join(
    os.path.dirname(os.path.dirname(ptxas)), "nvvm/libdevice/libdevice.10.bc"
)
if libdevice and os.path.exists(libdevice):
    config.available_features.add("libdevice")
# A GPU and its driver; python3 there has torch.
if os.path.exists("/dev/nvidiactl"):
    config.available_features.add("cuda")
# `make deps` installs MPICH; these tests run wherever it is.
if shutil.which("mpiexec") and (ctypes.util.find_library("mpich") or ctypes.util.find_library("mpi")):
    config.available_features.add("mpi")
if shutil.which("mpiexec.openmpi"):
    config.available_features.add("openmpi")
# The Python package, where `make wheel` has built it.
wheels = glob.glob(os.path.join(config.norm_obj_root, "wheel", "*.whl"))
if wheels and os.path.exists(os.path.join(config.norm_obj_root, "wheel", "stamp")):
    config.available_features.add("wheel")
    config.substitutions.append(("%wheel", wheels[0]))
    config.substitutions.append(
        ("%norm_python", os.path.join(config.norm_obj_root, "python", "site")))
if subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"],
                  capture_output=True).returncode == 0:
    config.available_features.add("unshare")
# Front ends: what the Python of `make check-frontends`, or else Debian's, imports.
venv_python = os.path.join(config.norm_obj_root, "frontends-venv", "bin", "python")
frontends_python = venv_python if os.path.exists(venv_python) else (
    "/usr/bin/python3" if has_debian_python else "python3"
)
config.substitutions.append(("%frontends_python", frontends_python))
config.substitutions.append(
    ("%frontends_path", os.path.dirname(frontends_python) + os.pathsep
     + config.environment["PATH"])
)
modules = {"torch", "torch_mlir", "transformers", "jax", "tvm_ffi"}
importable = set(subprocess.run(
    [frontends_python, "-c", "import importlib.util, sys\n"
     "print(*filter(importlib.util.find_spec, sys.argv[1:]))", *modules],
    capture_output=True, text=True,
).stdout.split())
config.available_features |= {m.replace("_", "-") for m in importable}
if lit_config.params.get("frontends") == "required" and importable != modules:
    lit_config.fatal(f"{frontends_python} lacks {modules - importable}")
if shutil.which("g++"):
    config.available_features.add("g++") # inductor compiles with it
chromium = shutil.which("chromium") or shutil.which("google-chrome")
if chromium:
    config.available_features.add("chromium")
    config.substitutions.append(("%chromium", chromium))
corpus = os.path.join(config.norm_src_root, "..", "shared", "corpus")
if os.path.exists(os.path.join(corpus, "manifest.json")):
    config.available_features.add("corpus")
    config.substitutions.append(("%corpus", os.path.abspath(corpus)))
