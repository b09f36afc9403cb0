"""The Python of README.md runs as it stands there, with nothing but numpy."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def blocks(path: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", path.read_text(), re.M | re.S)


def test_readme(monkeypatch):
    monkeypatch.chdir(ROOT)
    found = blocks(ROOT / "README.md")
    assert found
    for code in found:
        exec(compile(code, "README.md", "exec"), {})
