"""Every block of the guide runs as it stands there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
BLOCKS = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/python.md").read_text(), re.M | re.S)


@pytest.mark.parametrize("code", BLOCKS, ids=[f"block-{k + 1}" for k in range(len(BLOCKS))])
def test_guide(code, monkeypatch):
    monkeypatch.chdir(ROOT)
    exec(compile(code, "docs/python.md", "exec"), {})
