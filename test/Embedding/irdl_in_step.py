"""Compares share/norm.irdl.mlir with the ODS that it restates.

irdl_in_step.py IRDL.mlir < records of llvm-tblgen --dump-json
"""
import json
import re
import sys


def argument(records, arg):
    """(kind, name) of an op's argument: operand, attribute and how many."""
    record = records[arg[0]["def"]]
    classes = record["!superclasses"]
    if "Optional" in classes:
        return "optional operand", arg[1]
    if "Variadic" in classes:
        return "variadic operand", arg[1]
    if "TypeConstraint" in classes:
        return "operand", arg[1]
    left_out = {"OptionalAttr", "DefaultValuedAttr"} & set(classes)
    return ("optional attribute" if left_out else "attribute"), arg[1]


def ods(records):
    ops, enums = {}, {}
    for name in records["!instanceof"]["Op"]:
        op = records[name]
        ops[op["opName"]] = [argument(records, a) for a in op["arguments"]["args"]]
    for name in records["!instanceof"]["EnumAttr"]:
        if records[name]["dialect"]["def"] == "Norm_Dialect":
            cases = records[records[name]["enum"]["def"]]["enumerants"]
            enums[records[name]["mnemonic"]] = [records[c["def"]]["str"] for c in cases]
    return ops, enums


def irdl(text):
    ops, enums = {}, {}
    code = re.sub(r"//.*", "", text)
    for kind, name, body in re.findall(
            r"irdl\.(operation|attribute) @(\w+) \{(.*?)\n  \}", code, re.S):
        if kind == "attribute":
            enums[name] = re.findall(r'irdl\.is "(\w+)"', body)
            continue
        operands = re.search(r"irdl\.operands\((.*?)\)", body, re.S)[1]
        ops[name] = [(f"{how}operand", arg) for arg, how in
                     re.findall(r"(\w+): (optional |variadic |)%", operands)]
        attributes = re.search(r"irdl\.attributes \{(.*?)\}", body, re.S)[1]
        ops[name] += [("attribute", arg) for arg in re.findall(r'"(\w+)" =', attributes)]
    return ops, enums


def main(path):
    records = json.load(sys.stdin)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    expected, enums = ods(records)
    found, found_enums = irdl(text)
    stated = {op: [a for a in args if a[0] != "optional attribute"]
              for op, args in expected.items()}
    wrong = []
    if stated != found:
        wrong.append(f"ODS has the ops {stated}, the file {found}")
    if enums != found_enums:
        wrong.append(f"ODS has the enums {enums}, the file {found_enums}")
    # What IRDL cannot state, the file's comment names.
    for op, args in expected.items():
        wrong += [f"the file does not name {op}'s {name}" for kind, name in args
                  if kind == "optional attribute" and not re.search(rf"\b{name}\b", text)]
    print("\n".join(wrong) if wrong else
          f"in step: {len(expected)} ops, {len(enums)} enums")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
