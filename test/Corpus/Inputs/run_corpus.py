"""Runs the recognizer over a corpus of front ends' IR and checks what it makes of it.

    run_corpus.py CORPUS [--families REGEX] [--part=SEED/N] [--no-run] [--wrong=WHAT]

Prints one line a family: found / expected / rejected rightly / largest error in ulp.
A positive case is found when it has as many norms as the manifest says, each with the
entry's attributes (expectations.py), when nothing of the unfused chain is left alive
that has no other user, and when the compiled program gives the framework's result
(measure.py). A negative case is rejected rightly when it stays as it was, byte for
byte, and the remark gives the true reason. Exits 1 on any shortfall; --wrong makes one
thing that is expected false in every case, so that each must fall short.
"""
import argparse
import collections
import concurrent.futures
import re
import sys

import expectations
import measure
import programs
from normtest import pick
from programs import count_reductions, count_roots, is_positive, norm_opt

CLEAN = "canonicalize,cse"  # what is dead goes
ASSERTION = re.compile(r"^.*\bcf\.assert\b.*\n", re.M)


class Verdict:
    def __init__(self, case):
        self.case = case
        self.problem, self.ulp, self.note = "", 0.0, ""

    def holds(self):
        return not self.problem


def is_left_alive(case, before, after):
    """Whether ops of the unfused chains are left; both programs have no dead ops."""
    # A model may have roots of its own, in a scale or in an activation.
    roots = count_roots(before) - case["expected"] if case.get("model") else 0
    return (count_roots(after) > max(0, roots)
            or count_reductions(after) > count_reductions(before) - case["expected"])


def check_alive(case, before, after):
    """(problem, note): an assertion of the front end's is a user of the root."""
    if not is_left_alive(case, before, after):
        return "", ""
    if ASSERTION.search(after):
        without = norm_opt([ASSERTION.sub("", after)], [CLEAN])[0]
        if without and not is_left_alive(case, before, without[0]):
            return "", "keeps the unfused root for its cf.assert"
    return (f"{count_roots(after)} roots and {count_reductions(after)} reductions are left of "
            f"{count_roots(before)} and {count_reductions(before)}"), ""


def judge_positive(batch, corpus, run):
    texts = [programs.read_text(corpus, case) for case in batch]
    tosa = programs.TOSA if programs.needs_tosa(batch[0]) else ""
    recognized = norm_opt(texts, [tosa, "norm-recognize"])
    embedded = [measure.embed_resources(after[0], text) if after else "module {\n}"
                for after, text in zip(recognized, texts)]
    live = norm_opt(embedded, [CLEAN])
    before = norm_opt(texts, [tosa, CLEAN])
    verdicts = []
    for case, after, clean, old in zip(batch, recognized, live, before):
        verdict = Verdict(case)
        verdicts.append(verdict)
        if not after or not clean or not old:
            verdict.problem = "norm-opt fails"
            continue
        found = after[0].count("norm.rmsnorm ")
        if found != case["expected"]:
            verdict.problem = f"found {found}, expected {case['expected']}"
            continue
        verdict.problem = "; ".join(expectations.check_attributes(case, after[0]))
        if verdict.holds():
            verdict.problem, verdict.note = check_alive(case, old[0], clean[0])
    if run:
        run_all([(verdict, text, clean[0]) for verdict, text, clean
                 in zip(verdicts, texts, live) if verdict.holds()], corpus)
    return verdicts


def run_all(verdicts, corpus):
    compiled = measure.compile_all([clean for _, _, clean in verdicts])
    for verdict, text, clean in verdicts:
        function, verdict.problem = compiled[clean]
        if function:
            verdict.ulp, verdict.problem = measure.compare(
                verdict.case, expectations.read_entries(verdict.case), corpus, text, clean,
                function, expectations.get_limit_factor(verdict.case))


def judge_negative(batch, corpus, run):
    texts = [programs.read_text(corpus, case) for case in batch]
    tosa = programs.TOSA if programs.needs_tosa(batch[0]) else ""
    after = norm_opt(texts, [tosa, "norm-recognize"], "--remarks-filter=norm.*")
    before = norm_opt(texts, [tosa])
    verdicts, fused = [], []
    for case, text, new, old in zip(batch, texts, after, before):
        verdict = Verdict(case)
        verdicts.append(verdict)
        if not new or not old:
            verdict.problem = "norm-opt fails"
        elif case["label"] == "centred" and "norm.rmsnorm " in new[0]:
            # A LayerNorm is an RMSNorm of the centered value, which no argument is.
            if re.search(r"norm\.rmsnorm ins\(%arg", new[0]):
                verdict.problem = "fused as an RMSNorm of the uncentred value"
            else:
                fused.append((verdict, text, measure.embed_resources(new[0], text)))
        elif new[0] != old[0]:
            verdict.problem = "changed"
        else:
            verdict.problem = expectations.check_rejection(case, old[0], new[1])
    if run:
        run_all(fused, corpus)
    return verdicts


def judge(batch, corpus, run):
    kind = judge_positive if is_positive(batch[0]) else judge_negative
    return kind(batch, corpus, run)


def make_wrong(case, what):
    """The case with another expectation than is true."""
    if what == "epsilon":
        norms = [{**norm, "eps": 1.5 * (norm["eps"] or 1e-3)} for norm in case["norms"]]
        return {**case, "norms": norms}
    if what == "reason":
        other = "max instead of mean" if case["negative_reason"] != "max instead of mean" else "cube"
        return {**case, "negative_reason": other}
    if what == "label":
        label = "negative" if is_positive(case) else "positive"
        return {**case, "label": label, "expected": 1}
    return {**case, "wrong_results": what == "result"}


def report(verdicts):
    """Prints what was found, and says whether everything was."""
    families = collections.defaultdict(collections.Counter)
    errors = collections.defaultdict(float)
    notes = collections.Counter()
    for verdict in sorted(verdicts, key=lambda v: v.case["id"]):
        family, count = verdict.case["family"], families[verdict.case["family"]]
        positive = is_positive(verdict.case)
        count["expected" if positive else "negative"] += 1
        count["found" if positive else "rejected"] += verdict.holds()
        errors[family] = max(errors[family], verdict.ulp)
        notes[verdict.note] += bool(verdict.note)
        if verdict.problem:
            print(f"{verdict.case['id']} ({verdict.case['label']}): {verdict.problem}")
    for family, count in sorted(families.items()):
        print(f"{count['found']:4} / {count['expected']:4} found, {count['rejected']:4} rejected "
              f"rightly, max ulp {errors[family]:.2f}: {family}")
    for note, number in sorted((+notes).items()):
        print(f"note: {number} cases: {note}")
    expectations.print_exceptions([verdict.case["id"] for verdict in verdicts])
    total = sum(families.values(), collections.Counter())
    print(f"{total['found']} of {total['expected']} positive cases found, "
          f"{total['rejected']} of {total['negative']} rejected rightly")
    return bool(verdicts) and all(verdict.holds() for verdict in verdicts)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus")
    parser.add_argument("--families", default="")
    parser.add_argument("--part", default="", help="each Nth case, as SEED/N")
    parser.add_argument("--no-run", action="store_true")
    parser.add_argument("--wrong", choices=["epsilon", "reason", "label", "result"])
    args = parser.parse_args()
    cases = [make_wrong(case, args.wrong)
             for case in pick(programs.load_cases(args.corpus, args.families), args.part)]
    verdicts = []
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        judged = [pool.submit(judge, batch, args.corpus, not args.no_run)
                  for batch in programs.make_batches(cases)]
        for future in judged:
            verdicts += future.result()
    return 0 if report(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
