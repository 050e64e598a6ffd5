"""What the manifest says about a norm, and whether an op of the program says it too."""
import re

import numpy as np

import model

NARROW = ("f16", "bf16")

# Where an entry of the manifest and the IR disagree, and the IR is right. What is
# listed is still compared, with `value` in the place of the entry's.
DISAGREEMENTS = [
    {"cases": r"^torch_nnrms_f64__", "field": "accumulation", "value": lambda norm: "f64",
     "reason": "every op of the IR is in f64; there is no cast to f32"},
    {"cases": r"_f64__tosa", "field": "eps", "value": lambda norm: float(np.float32(norm["eps"])),
     "reason": "the TOSA route rounded epsilon to f32: 9.9999997473787516E-6 for 1e-5 in f64"},
    {"cases": r"^(seed_S[13]_b?f16|xt_simple_bf16)__tosa", "field": "root", "value": lambda norm: "1/sqrt",
     "reason": "TOSA has no division: the IR multiplies x by the reciprocal of the root"},
    {"cases": r"^jax_jnp_square_bf16__", "field": "squares", "value": lambda norm: "rounded",
     "reason": "XLA keeps the squares in f32, the IR rounds them to bf16: compared with a "
               "model of the IR, and not with the framework's result"},
]

# What norm.rmsnorm cannot state in 16 bits: (cases, limit in ulp, reason).
WIDER_LIMITS = [
    (r"^xt_simple_bf16__", 2, "the IR rounds x / ||x|| and then its product with sqrt(n); "
                              "the op divides once by a root that has the n in it"),
]

# The typed reason that each of the manifest's reasons is; None: no root is taken of
# what scales, nor does it sum squares, so there is no candidate and no remark.
REASONS = [
    (r"mean subtracted|mean is subtracted|^LayerNorm", "not-a-square"),
    (r"^mean \|x\| under the rsqrt|^pow 3|^cube|^fourth power", "not-a-square"),
    (r"^max instead of mean", "not-a-sum"),
    (r"^scaled tensor", "different-tensor"),
    (r"^divisor n|^L2 normalise|^sum over ALL dims", "wrong-divisor"),
    (r"wrong axis", "weight-not-over-dims"),
    (r"^no root", "wrong-exponent"),
    (r"^softmax|\(L1\)", None),
    (r"^BatchNorm inference", "not-a-sum"),
    (r"^multiplied by the rms", "wrong-exponent"),
    (r"^no normalisation", None),
]


def check_rejection(case, text, remarks):
    """What is wrong with the remarks about a program that is rejected; empty if nothing."""
    known = [reason for words, reason in REASONS
             if re.search(words, case["negative_reason"] or "LayerNorm")]
    if len(known) != 1:
        return f"no one reason is known for '{case['negative_reason']}'"
    expected = known[0]
    # The extent of all dims is not known, and neither is whether the divisor is it.
    if expected == "wrong-divisor" and "ALL dims" in case["negative_reason"] and "?x" in text:
        expected = ("wrong-divisor", "dynamic-extent")
    missed = [re.match(r"not an RMSNorm \(([\w-]+)\)", t) for k, t in remarks if k == "Missed"]
    given = {found.group(1) if found else "?" for found in missed}
    if expected is None:
        return f"rejected as {given}, expected no remark" if given or divides_by_root(text) else ""
    allowed = expected if isinstance(expected, tuple) else (expected,)
    return "" if len(given) == 1 and given <= set(allowed) else (
        f"rejected as {', '.join(given) or 'nothing'}, expected {' or '.join(allowed)}")


def divides_by_root(text):
    """Whether a program has a reduction, a root, and a reciprocal of what is no constant."""
    divisors = re.findall(r"arith\.divf %\w+, %(\w+)", text)
    divides = "rsqrt" in text or any(not d.startswith("cst") for d in divisors)
    has_root = bool(re.search(r"\br?sqrt\b|math\.powf", text))
    return divides and has_root and bool(re.search(r'"reduction"|linalg\.reduce', text))


def read_entries(case):
    """The norms of a case as its IR has them."""
    listed = [d for d in DISAGREEMENTS if re.search(d["cases"], case["id"])]
    return [{**norm, **{d["field"]: d["value"](norm) for d in listed}} for norm in case["norms"]]


def describe(line):
    """The attributes of a norm.rmsnorm, defaults written out."""
    operands = re.search(r"ins\(([^:]*) : tensor<([^>]*)>", line)
    shape = operands.group(2).split("x")
    rank, element = len(shape) - 1, shape[-1]

    def find(pattern, default=None):
        found = re.search(pattern, line)
        return found.group(1) if found else default

    def list_dims(text):
        return [int(d) - rank for d in text.split(",") if d.strip()]

    dims = list_dims(find(r"\bdims = \[([^\]]*)\]"))
    has_weight = "," in operands.group(1)
    weight_dims = find(r"weight_dims = \[([^\]]*)\]")
    compute = find(r"compute_type = (\w+)", "f32" if element in NARROW else element)
    return {
        "dims": dims, "epsilon": float(find(r"\bepsilon = (\S+)")),
        "mode": find(r"epsilon_mode =\s+(\w+)", "inside"),
        "root": find(r"root_form =\s+(\w+)", "reciprocal"), "compute": compute,
        "scale": find(r"scale_type = (\w+)"),
        # The compute type says what its absence says (S4).
        "normalized": find(rf"normalized_type = (?!{compute}\b)(\w+)"),
        "weight": None if not has_weight else dims if weight_dims is None
        else list_dims(weight_dims),
        "count": find(r"count = (\d+)"), "element": element, "rank": rank,
    }


def expect_types(norm, storage, has_weight):
    """(compute type, scale type, normalized type) by the words of the manifest."""
    words = norm["rounding"]
    natively = words.startswith("every_op")
    accumulation = norm["accumulation"].split()[0]
    compute = storage if natively else accumulation
    scale = storage if words.startswith("scale rounded to storage type") else None
    rounds = words.startswith("before_weight") or scale
    # Without a weight the one rounding is that of the result (S6).
    normalized = storage if rounds and has_weight and storage in NARROW else None
    return compute, scale, normalized


def expect_mode(norm):
    placement = norm["eps_placement"]
    return {"inside_root": "inside", "outside_root": "outside", "none": "inside"}.get(
        placement, "clamp" if placement.startswith("clamp") else placement)


def expect_root(norm, compute):
    """Where a 16-bit compute type rounds (S3)."""
    if compute not in NARROW:
        return "reciprocal"
    return {"rsqrt": "rsqrt", "sqrt+div": "quotient", "1/sqrt": "reciprocal"}[norm["root"]]


def is_epsilon(found, norm, compute, storage):
    """The entry's epsilon in the compute type, perhaps rounded to the storage type
    before; a norm of the sum has one that is scaled with the root of n."""
    expected = norm["eps"] or 0.0
    if norm["scale"] != "mean" and norm["scale"] != "sum*(1/n)":
        tolerance = 2.0**-22 if compute == "f32" else 2.0**-8
        expected /= norm["n"] ** 0.5 if norm["eps_placement"].startswith("clamp") else 1
        return abs(found - expected) <= tolerance * expected
    rounded = [float(model.round_to(np.float64(expected), compute))]
    rounded.append(float(model.round_to(model.round_to(np.float64(expected), storage), compute)))
    return float(model.round_to(np.float64(found), compute)) in rounded


def expect_count(norm):
    partial = re.match(r"statistic over the first (\d+) of", norm["note"])
    return partial.group(1) if partial else None


def differences(op, norm, case):
    """What an op does not have as the entry says: {what: (found, expected)}."""
    storage = case["compute_dtype"]
    # A weight on groups that were collapsed before stays an op of its own, unless the
    # IR has it over the groups.
    is_apart = "after the collapse" in norm["note"] and op["weight"] != [-2, -1]
    has_weight = norm["has_weight"] and not is_apart
    compute, scale, normalized = expect_types(norm, storage, has_weight)
    axes = [a if a < 0 else a - op["rank"] for a in norm["axes"]]
    expected = {"dims": axes, "mode": expect_mode(norm), "compute": compute, "scale": scale,
                "normalized": normalized, "root": expect_root(norm, compute),
                "count": expect_count(norm)}
    found = {what: (op[what], value) for what, value in expected.items() if op[what] != value}
    if not is_epsilon(op["epsilon"], norm, compute, storage):
        found["epsilon"] = (op["epsilon"], norm["eps"])
    if (op["weight"] is not None) != has_weight:
        found["weight"] = (op["weight"], norm["weight_form"])
    elif has_weight and (op["weight"] == []) != (norm["weight_form"] == "scalar"):
        found["weight"] = (op["weight"], norm["weight_form"])
    return found


def check_attributes(case, text):
    """One line on each op that no entry describes."""
    left, problems = read_entries(case), []
    for line in re.findall(r"norm\.rmsnorm (.*)", text):
        op = describe(line)
        wrong = [differences(op, norm, case) for norm in left]
        if {} in wrong:
            del left[wrong.index({})]
            continue
        closest = min(wrong, key=len) if wrong else {"op": ("one more", "")}
        problems.append(", ".join(f"{what} {found}, expected {expected}"
                                  for what, (found, expected) in closest.items()))
    return problems


def get_limit_factor(case):
    return next((limit for cases, limit, _ in WIDER_LIMITS if re.search(cases, case["id"])), 1)


def print_exceptions(names):
    """The entries that the IR contradicts, and the wider limits, with their reasons."""
    for listed in DISAGREEMENTS:
        count = sum(bool(re.search(listed["cases"], name)) for name in names)
        if count:
            print(f"the IR is right, not the entry's {listed['field']}, in {count} cases "
                  f"{listed['cases']}: {listed['reason']}")
    for cases, limit, reason in WIDER_LIMITS:
        count = sum(bool(re.search(cases, name)) for name in names)
        if count:
            print(f"limit {limit} ulp in {count} cases {cases}: {reason}")
