"""Data that the tests share: one set of objects known in every way that a method may ask for."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"


def answered(rows: np.ndarray, distances: np.ndarray) -> np.ndarray:
    """Triplets with the nearer one in the middle."""
    wrong = distances[rows[:, 0], rows[:, 1]] > distances[rows[:, 0], rows[:, 2]]
    rows = rows.copy()
    rows[wrong] = rows[wrong][:, [0, 2, 1]]
    return rows


class Known:
    """Some objects, and everything that can be known about them, as arrays and as files."""

    def __init__(self, folder: Path, n: int = 14) -> None:
        rng = np.random.default_rng(7)
        self.n, self.folder = n, folder
        self.labels = [f"o{k:02}" for k in range(n)]
        self.features = np.round(rng.normal(size=(n, 3)), 6)
        diff = self.features[:, None] - self.features[None]
        self.distances = np.sqrt((diff**2).sum(-1))
        asked = rng.integers(0, n, size=(900, 3))
        asked = asked[(asked[:, 0] != asked[:, 1]) & (asked[:, 0] != asked[:, 2]) & (asked[:, 1] != asked[:, 2])][:400]
        self.triplets = answered(asked, self.distances)
        # What a line can hold.
        self.on_a_line = answered(asked, np.abs(diff[..., 0]))
        # A square whose two sides differ.
        self.sides = self.distances + np.round(np.abs(diff[..., 0]) * (diff[..., 0] > 0), 6)
        a, b = np.triu_indices(n, 1)
        self.pairs = np.stack([a, b], axis=1)
        self.alike = self.distances[a, b] < np.median(self.distances[a, b]) * 0.8
        self.classes = [f"g{int(f[0] > 0)}{int(f[1] > 0)}" for f in self.features]

    def file(self, part: str) -> Path:
        """A file that holds a part as people write it."""
        path = self.folder / f"{part}.csv"
        label = self.labels
        if part == "distances":
            lines = ["," + ",".join(label)] + [",".join([l, *map(repr, map(float, r))]) for l, r in zip(label, self.distances)]
        elif part == "sides":
            lines = ["," + ",".join(label)] + [",".join([l, *map(repr, map(float, r))]) for l, r in zip(label, self.sides)]
        elif part == "rows":
            lines = ["," + ",".join(label[:6])] + [",".join([l, *map(repr, map(float, r[:6]))]) for l, r in zip(label, self.distances)]
        elif part in ("features", "kernels"):
            path = self.folder / "features.csv"
            lines = ["label,f1,f2,f3"] + [",".join([l, *map(repr, map(float, r))]) for l, r in zip(label, self.features)]
        elif part in ("comparisons", "line"):
            rows = self.triplets if part == "comparisons" else self.on_a_line
            lines = ["head,near,far"] + [",".join(label[i] for i in r) for r in rows]
        elif part == "pairs":
            lines = ["from,to,label"] + [f"{label[i]},{label[j]},{'similar' if s else 'dissimilar'}" for (i, j), s in zip(self.pairs, self.alike)]
        elif part in ("sorts", "classes", "labels"):
            lines = ["object,class"] + [f"{l},{c}" for l, c in zip(label, self.classes)]
        elif part == "taxonomy":
            lines = ["path"] + [f"all/{c}/{l}" for l, c in zip(label, self.classes)]
        else:
            raise AssertionError(f"a method takes {part}, and the tests have no file of it: write one here")
        path.write_text("\n".join(lines) + "\n")
        return path


@pytest.fixture(scope="session")
def known(tmp_path_factory: pytest.TempPathFactory) -> Known:
    return Known(tmp_path_factory.mktemp("known"))


@pytest.fixture(scope="session")
def command():
    """The command, run; gives what it wrote to stdout."""
    program = os.environ.get("NEARER")
    if not program or not Path(program).exists():
        pytest.skip("NEARER does not name the command")

    def run(*args: object) -> str:
        done = subprocess.run([program, *map(str, args)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
