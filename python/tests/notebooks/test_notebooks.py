"""The notebooks of the guide run, and what a fit shows there is seen in a real browser."""

import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter

FOLDER = Path(__file__).resolve().parents[3] / "docs/notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


@pytest.fixture(scope="module", params=NOTEBOOKS, ids=[p.stem for p in NOTEBOOKS])
def page(request, tmp_path_factory):
    notebook = nbformat.read(request.param, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "notebooks are kept without their outputs"
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}}).execute()
    html, _ = HTMLExporter().from_notebook_node(notebook)
    path = tmp_path_factory.mktemp("notebook") / f"{request.param.stem}.html"
    path.write_text(html)
    return path


def test_a_notebook_runs(page):
    text = page.read_text()
    assert "<iframe" in text and "srcdoc=" in text


def test_the_page_is_seen_in_a_browser(page):
    browser = os.environ.get("CHROMIUM", "/usr/bin/chromium")
    if not Path(browser).exists():
        pytest.skip(f"{browser} is not there")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as p:
        chromium = p.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        tab = chromium.new_page()
        wrong = []
        tab.on("pageerror", lambda e: wrong.append(str(e)))
        tab.goto(page.as_uri())
        frame = tab.frame_locator("iframe[title=map]").first
        frame.locator(".js-plotly-plot").first.wait_for(timeout=60_000)
        text = frame.locator("body").inner_text()
        chromium.close()
    assert "objects" in text and not wrong, wrong
