"""Draws the report of peers.py: each subject's speed as a ratio to the non-temporal copy."""
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

STREAM = "non-temporal copy"
# Ratios beyond these are drawn at the edge.
LEAST, MOST = 0.01, 4
# The same place in the legend and the same mark in every figure.
STYLES = {"norm-mlir": ("o", "#c1121f", 7), "memcpy": ("_", "#333333", 12), "intrinsics": ("x", "#1d4e89", 6),
          "intrinsics nt": ("+", "#1d4e89", 8), "torch eager": ("v", "#e07a2c", 5), "torch.compile": ("^", "#e07a2c", 5),
          "torch F.rms_norm": ("<", "#e07a2c", 5), "ONNX Runtime": ("s", "#2a9d8f", 5), "OpenVINO": ("D", "#7b2cbf", 4),
          "JAX": ("p", "#6a994e", 6), "IREE": ("h", "#8d6b48", 6)}


def draw_panel(axes, results, title):
    shapes = [f"{r['rows']}x{r['cols']}" for r in results]
    axes.axhline(1, color="#999999", linewidth=1)
    for name, (marker, color, size) in STYLES.items():
        ratios = [r["subjects"].get(name, {}).get("ratio_to_nt_copy") for r in results]
        places = [i for i, ratio in enumerate(ratios) if ratio]
        axes.plot(places, [min(max(ratios[i], LEAST), MOST) for i in places], linestyle="none", marker=marker, color=color, markersize=size,
                  label=name, zorder=3 if name == "norm-mlir" else 2)
    axes.set_yscale("log")
    axes.set_ylim(LEAST / 1.2, MOST * 1.2)
    axes.set_yticks([0.01, 0.1, 1], ["0.01", "0.1", "1"])
    axes.set_xticks(range(len(shapes)), shapes, rotation=45, ha="right", fontsize=8)
    axes.set_xlim(-0.5, len(shapes) - 0.5)
    axes.grid(axis="x", color="#eeeeee")
    axes.set_title(title, fontsize=10)


def plot(report, path):
    keys = list(dict.fromkeys((r["type"], r["threads"]) for r in report["results"]))
    columns = len({threads for _, threads in keys})
    lines = -(-len(keys) // columns)
    figure, panels = plt.subplots(lines, columns, figsize=(6.2 * columns, 3.6 * lines + 0.8), sharey=True, squeeze=False)
    for axes, key in zip(panels.flat, sorted(keys, key=lambda k: [r["type"] for r in report["results"]].index(k[0]))):
        some = [r for r in report["results"] if (r["type"], r["threads"]) == key]
        draw_panel(axes, some, f"{key[0]}, {key[1]} thread{'s' if key[1] > 1 else ''}")
    for axes in panels.flat[len(keys):]:
        axes.axis("off")
    for axes in panels[:, 0]:
        axes.set_ylabel("speed / non-temporal copy")
    handles, labels = panels.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=6, fontsize=8, frameon=False)
    figure.suptitle(f"Llama's RMSNorm, {report['machine']['cpu']}, {report['machine']['cores']} cores", fontsize=11)
    figure.tight_layout(rect=(0, 0.09 if lines < 2 else 0.06, 1, 1))
    # The same report gives the same file.
    metadata = {"Date": None} if path.endswith(".svg") else None
    plt.rcParams.update({"svg.hashsalt": "norm-mlir", "svg.fonttype": "none"})
    figure.savefig(path, metadata=metadata)
