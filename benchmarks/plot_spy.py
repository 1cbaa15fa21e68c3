#!/usr/bin/env python3
"""Where a sparse matrix has entries.

usage: plot_spy.py W.mtx OUT.png|OUT.svg   (needs scipy and matplotlib)
"""
import sys


def draw(matrix, out):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 6))
    axes.spy(matrix, markersize=max(0.2, min(4, 300 / max(matrix.shape))), color="tab:blue")
    axes.set_title(f"{matrix.shape[0]} rows, {matrix.nnz} entries", fontsize=9)
    axes.tick_params(labelsize=8)
    figure.tight_layout()
    figure.savefig(out, dpi=150)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip().splitlines()[2])
    import scipy.io

    draw(scipy.io.mmread(sys.argv[1]).tocsr(), sys.argv[2])
