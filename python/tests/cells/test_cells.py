"""The cells of the notebooks run one after another, without Jupyter; how they look in a browser is tested in `notebooks`."""

import json
from pathlib import Path

import matplotlib
import pytest

FOLDER = Path(__file__).resolve().parents[3] / "docs/notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[p.stem for p in NOTEBOOKS])
def test_every_cell_runs(path, monkeypatch):
    matplotlib.use("Agg")
    monkeypatch.chdir(FOLDER)
    cells = [c for c in json.loads(path.read_text())["cells"] if c["cell_type"] == "code"]
    names = {}
    for number, cell in enumerate(cells, 1):
        exec(compile("".join(cell["source"]), f"{path.name}, cell {number}", "exec"), names)
    assert names["fit"].map is not None
