"""Holds README*.md, CONTRIBUTING.md, docs/*.md and benchmarks/results/*.md against the tools and ODS.

    docs_in_step.py ROOT MLIR-INCLUDE GENERATED

What they name exists: links with their anchors, options, passes with their options,
ops, make targets. Where they claim to be complete, they are: every pass, pipeline and
op of transform scripts is in a document, every attribute of the norm ops in Norm.md,
every reason of a rejection in Recognition.md, every component in Embedding.md, and every
pass and op in the reference that the build has GENERATED.
Every command that no test runs as it stands has a short form that one does, and every document
with other commands is named by a test that runs them. The tables of stages have the order of the
pipelines. The bound of a norm in f32 is that of benchmarks/accuracy.py wherever it stands.
"""
import functools
import glob
import json
import os
import re
import subprocess
import sys
import textwrap

from run_docs import blocks

sys.dont_write_bytecode = True

TOOLS = ["norm-opt", "norm-compile", "norm-run", "norm-bench", "norm-lsp-server",
         "norm-reduce"]
PIPELINES = {"norm-to-cpu", "norm-recognition", "norm-decomposition", "norm-rows-on-tensors",
             "norm-rows-on-buffers", "norm-prepare-rows", "norm-bufferize-rows",
             "norm-place-temporaries", "norm-vector-to-cpu", "norm-to-mpi", "norm-to-nvvm",
             "norm-to-simt"}
OPS = {"norm.rmsnorm", "norm.rmsnorm_backward", "transform.norm.recognize", "transform.norm.decompose",
       "transform.norm.form", "transform.norm.plan", "transform.norm.tile", "transform.norm.emit"}
# Options of programs that are not ours, or tests.
FOREIGN = set("""--save --install --build --prefix --preset --filter --param --includedir
    --my-choose-kernels""".split())
# Commands of `no-run` blocks: a test that runs the same for a shorter time.
SHORT_FORMS = {
    "make demo": ("test/Examples/demo.test", "examples/demo.sh"),
    "make check-frontends": ("test/Frontends/docs.test", "run_docs.py"),
    "make wheel": ("test/Python/clean-environment.test", "auditwheel show"),
    "pip install": ("test/Python/clean-environment.test", "-m pip install"),
    "make format tidy-changed": ("test/Build/tidy-changed.test", "tidy-changed.sh"),
    "make bench": ("test/Benchmarks/targets.test", "benchmarks/targets.py"),
    "python3 benchmarks/targets.py": ("test/Benchmarks/targets.test", "benchmarks/targets.py"),
    "python3 benchmarks/compile_time.py": ("test/Benchmarks/compile-time.test", "compile_time.py"),
    "peers-venv/bin/python benchmarks/peers.py": ("test/Benchmarks/peers.test", "benchmarks/peers.py"),
    "python3 test/Integration/Generative": ("test/Integration/Generative/generative.test", "run.py"),
    "benchmarks/gpu.sh compile": ("test/Tools/norm-bench-device.test", "gpu.sh compile"),
    "benchmarks/gpu_targets.py": ("test/Benchmarks/gpu-targets.test", "gpu_targets.py"),
}
# Nothing to test: the suite itself, the shell, and what needs a GPU or a network.
NOT_TESTED = {"make check", "make deps build", "export PATH", "export PYTHONPATH", "python3 -m venv",
              "bash gpu-artifacts/gpu.sh run"}


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def find(folder, end):
    """Files below `folder`; links, which a build has in circles, are not followed."""
    return [os.path.join(path, f) for path, _, files in os.walk(folder)
            for f in files if f.endswith(end)]


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@functools.cache
def options(tool):
    return set(re.findall(r"^ *(--?[a-zA-Z][\w-]*)", output(tool, "--help-hidden"), re.M))


@functools.cache
def entries():
    """{pass or pipeline: its options} as norm-opt --help has them."""
    text = output("norm-opt", "--help")
    found, name = {}, None
    for line in text[text.index("Passes of norm-mlir:"):].splitlines():
        if match := re.match(r"  --(norm-[\w-]+)", line):
            name = match[1]
            found[name] = set()
        elif match := re.match(r"    --([\w-]+)", line):
            found[name].add(match[1])
    return found


def python_options(root):
    files = find(f"{root}/benchmarks", ".py") + find(f"{root}/test", ".py")
    return {o for f in files for o in re.findall(r'add_argument\(\s*"(--[\w-]+)"', read(f))}


def ods(root, include, td):
    return json.loads(output("llvm-tblgen", "--dump-json", "-I", include, "-I", f"{root}/include",
                             f"{root}/include/norm/{td}"))


def attribute_names(root):
    """Those of discardable attributes, such as norm.row_target."""
    return set(re.findall(r'AttrName = "(norm\.\w+)"', "".join(open(f).read() for f in find(f"{root}/include/norm/IR", ".h"))))


def ops_of(records):
    return {records[n]["opName"] for n in records["!instanceof"]["Op"]}


# Links.

def anchors(text):
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^ *```.*?^ *```$", "", text, flags=re.S | re.M), re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


def check_links(path, text):
    for target in re.findall(r"\]\(([^)\s]*)\)", text):
        if re.match(r"https?:", target):
            continue
        file, _, anchor = target.partition("#")
        file = os.path.join(os.path.dirname(path), file) if file else path
        if not os.path.exists(file):
            yield f"link to {target}, which does not exist"
        elif anchor and anchor not in anchors(read(file)):
            yield f"link to {target}, a heading that {file} has not"


# Names.

def code(text):
    """Blocks of code, which may be indented, and spans of code in the prose."""
    found = [textwrap.dedent(block) for block in
             re.findall(r"^ *```[^\n]*\n(.*?)^ *```$", text, re.S | re.M)]
    prose = re.sub(r"^ *```.*?^ *```$", "", text, flags=re.S | re.M)
    return found + re.findall(r"`([^`]+)`", prose)


def check_options(text, known):
    for span in code(text):
        for line in span.replace("\\\n", " ").splitlines():
            tool = re.match(r"(?:\$ )?(?:\S*/)?(norm-[a-z-]+)(?: |$)", line)
            own = options(tool[1]) if tool and tool[1] in TOOLS else known
            for option in re.findall(r"(?<![\w-])(--[a-z][\w-]*)", line.split("|")[0]):
                if option not in own | (known if ";" in line else set()):
                    yield f"option {option} in `{line.strip()}`"


def check_pass_options(text):
    given = r"(norm-[\w-]+)(?:\{([^{}]*)\}|=((?:'[^']*')|[\w=,.-]+))"
    for span in code(text):
        for name, braces, flag in re.findall(given, span):
            for option in re.findall(r"([\w-]+)=", braces or flag.strip("'")):
                if name in entries() and option not in entries()[name]:
                    yield f"option {option} of {name}"


def check_names(text, known, ops):
    for span in code(text):
        for name in re.findall(r"(?<![\w/.@%-])norm-[a-z][\w-]*(?![\w/]|\.\w)", span):
            if name.rstrip("-") not in known and not re.fullmatch(r"norm-crash-.*", name):
                yield f"name {name}"
        for name in re.findall(r"(?<![\w/.\"#-])(norm\.[a-z_]+)(?![\w(.<])", span):
            if name not in ops:
                yield f"op {name}"


def check_make(text, targets):
    for span in code(text):
        for line in span.splitlines():
            command = re.match(r"(?:\$ )?make ([a-z-]+)", line)
            if command and command[1] not in targets:
                yield f"make target {command[1]}"


def check_not_run(root, path):
    for language, info, start, body in blocks(path):
        if language != "console" or info != "no-run":
            continue
        for line in (b[2:].split("#")[0].strip() for b in body if b.startswith("$ ")):
            short = next((s for c, s in SHORT_FORMS.items() if line.startswith(c)), None)
            if not short and line.startswith(tuple(NOT_TESTED)):
                continue
            if not short:
                yield f"line {start}: no test runs `{line}`, nor a short form of it"
            elif short[1] not in read(f"{root}/{short[0]}"):
                yield f"line {start}: {short[0]} does not run {short[1]}"


def check_run(root, path):
    commands = [info for language, info, _, _ in blocks(path) if language == "console" and info != "no-run"]
    name = os.path.relpath(path, root).replace(".zh-CN", "")  # The translation has the same blocks.
    if commands and not any("run_docs.py" in t and name in t for t in map(read, find(f"{root}/test", ".test"))):
        yield "no test runs its commands"


# What has to be there.

def check_complete(root, include):
    docs = {os.path.basename(p): read(p) for p in glob.glob(f"{root}/docs/*.md")}
    everything = "\n".join(docs.values())
    for name in entries():
        if not re.search(rf"\b{name}\b(?!-)", everything):
            yield f"no document names {name}"
    for name in ops_of(ods(root, include, "TransformOps/NormTransformOps.td")):
        if name.startswith("norm.") and f"transform.{name}" not in everything:
            yield f"no document names transform.{name}"
    records = ods(root, include, "IR/NormOps.td")
    arguments = [argument for name in records["!instanceof"]["Op"]
                 if records[name]["opDialect"]["def"] == "Norm_Dialect"
                 for argument in records[name]["arguments"]["args"]]
    for argument in {name: kind for kind, name in arguments
                     if "TypeConstraint" not in records[kind["def"]]["!superclasses"]}:
        if f"`{argument}" not in docs["Norm.md"]:
            yield f"Norm.md does not name {argument}"
    source = read(f"{root}/lib/Recognition/Explain.cpp")
    names = source[source.index("names[]"):]
    reasons = re.findall(r'"([a-z-]+)"', names[:names.index("};")])
    for reason in reasons:
        if f"| `{reason}` |" not in docs["Recognition.md"] and reason != "not-a-candidate":
            yield f"Recognition.md does not name {reason}"
    libraries = "\n".join(map(read, find(f"{root}/lib", "CMakeLists.txt")))
    for component in re.findall(r"add_norm_library\(Norm(\w+)(?! INTERNAL)\b|COMPONENT (\w+)", libraries):
        name = "".join(component)
        if not re.search(rf"^\|.*`(NormMLIR::)?{name}`.*\|", docs["Embedding.md"], re.M):
            yield f"Embedding.md does not list NormMLIR::{name}"
    for tool in TOOLS:
        if f"| `{tool}` |" not in read(f"{root}/README.md"):
            yield f"README.md does not list {tool}"
    for name in docs:
        if f"(docs/{name})" not in read(f"{root}/README.md"):
            yield f"README.md does not list docs/{name}"


def passes_of(pipeline):
    """The passes that a pipeline runs, in their order, as often as it runs them."""
    done = subprocess.run(["norm-opt", f"--pass-pipeline=builtin.module({pipeline})", "--dump-pass-pipeline"],
                          input="", capture_output=True, text=True, check=True)
    return re.findall(r"norm-[\w-]+", done.stdout + done.stderr)


def check_order(root):
    """The tables of stages have the order of the pipelines, and that of norm-to-cpu has every pass."""
    for name, pipeline, is_complete in [
            ("Codegen.md", "norm-to-cpu{threads=2 verify-buffers=1 dot-products=1}", True),
            ("GPU.md", "norm-to-nvvm{dependent-launch=1}", False)]:
        rows = re.search(r"^\| stage \|.*\n(?:\|.*\n)+", read(f"{root}/docs/{name}"), re.M)[0].splitlines()
        named = re.findall(r"`(norm-[\w-]+)`", "".join(row.split("|")[2] for row in rows))
        run = passes_of(pipeline)
        rest = iter(run)
        late = next((n for n in named if n not in rest), None)
        if late:
            yield f"{name} has {late} where {pipeline.split('{')[0]} does not run it"
        for missing in sorted(set(run) - set(named)) if is_complete else ():
            yield f"{name} has no {missing} in its table of stages"


def check_bound(root, documents):
    sys.path.insert(0, f"{root}/benchmarks")
    import accuracy
    bound = lambda n: accuracy.bound(int(n), "f32")
    constant = bound(1) - (accuracy.count_additions(1) + 1) / 2
    for path in documents:
        text, name = read(path), os.path.relpath(path, root)
        for number in re.findall(r"\(L \+ 1\) / 2 \+ (\d+) ulp", text):
            if float(number) != constant:
                yield f"{name}: (L + 1) / 2 + {number} ulp, where benchmarks/accuracy.py has {constant:g}"
        for number, n in re.findall(r"(\d+) at n = (\d+)", text):
            if float(number) != bound(n):
                yield f"{name}: {number} ulp at n = {n}, where benchmarks/accuracy.py has {bound(n):g}"
        table = re.search(r"<!-- begin lengths f32 -->(.*?)<!-- end", text, re.S)
        for n, number in re.findall(r"^\| (\d+) *\| ([\d.]+) ", table[1], re.M) if table else []:
            if float(number) != bound(n):
                yield f"{name}: a bound of {number} for n = {n}, where benchmarks/accuracy.py has {bound(n):g}"


def check_generated(directory, ops):
    reference = "\n".join(read(f) for f in glob.glob(f"{directory}/*.md"))
    headings = {f"-{name}" for name in entries() if name not in PIPELINES} | ops
    for heading in sorted(headings):
        if f"### `{heading}`" not in reference:
            yield f"the generated reference has no `{heading}`"


def main(root, include, generated):
    documents = [f"{root}/{d}" for d in ("README.md", "README.zh-CN.md", "CONTRIBUTING.md")]
    documents = [d for d in documents if os.path.exists(d)]
    documents += sorted(glob.glob(f"{root}/docs/*.md")) + sorted(glob.glob(f"{root}/benchmarks/results/*.md"))
    targets = set(re.findall(r"^([a-z-]+):", read(f"{root}/Makefile"), re.M))
    built = "\n".join(read(f) for folder in ("docs", "include", "lib", "test", "tools")
                      for f in find(f"{root}/{folder}", "CMakeLists.txt"))
    names = set(re.findall(r"\((norm-[\w-]+)", built)) | set(entries()) | set(TOOLS)
    names |= {"norm-mlir", "norm-c", "norm-bench-device", "norm-plugin"}
    known = set().union(*map(options, TOOLS)) | {f"--{e}" for e in entries()} | FOREIGN
    known |= python_options(root)
    known |= options("norm-bench-device")
    ops = {"norm.rmsnorm", "norm.rmsnorm_backward"} | attribute_names(root) | ops_of(ods(root, include, "TransformOps/NormTransformOps.td"))
    wrong = []
    for path in documents:
        text = read(path)
        for problem in (*check_links(path, text), *check_options(text, known),
                        *check_pass_options(text), *check_names(text, names, ops),
                        *check_make(text, targets), *check_not_run(root, path), *check_run(root, path)):
            wrong.append(f"{os.path.relpath(path, root)}: {problem}")
    wrong += [*check_complete(root, include), *check_order(root), *check_bound(root, documents), *check_generated(generated, OPS)]
    print("\n".join(wrong) if wrong else
          f"in step: {len(documents)} documents, {len(entries())} passes and pipelines")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1].rstrip("/"), *sys.argv[2:]))
