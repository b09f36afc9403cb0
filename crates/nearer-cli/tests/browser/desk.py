"""Pages made by the command and opened in one real browser; every test ends by asking what the page asked for."""
import csv
import io
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[4]
NEARER = os.environ.get("NEARER", str(ROOT / "target" / "debug" / "nearer"))
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--enable-unsafe-swiftshader",
]
WAIT = 40_000
# What the browser itself says about drawing without a graphics card.
DRIVERS = re.compile("GL Driver Message|willReadFrequently")

# Where an object of the map lies on the screen.
PLACE = """(k) => {
  const map = document.getElementById('map');
  const { xaxis, yaxis } = map._fullLayout;
  const axes = JSON.parse(document.getElementById('data').textContent).axes;
  const box = map.getBoundingClientRect();
  return [box.left + xaxis._offset + xaxis.l2p(axes[0][k]), box.top + yaxis._offset + yaxis.l2p(axes[1][k])];
}"""


class Browser:
    """One browser for all tests."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.driver = sync_playwright().start()
        self.chromium = self.driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)

    def close(self):
        self.chromium.close()
        self.driver.stop()
        self.folder.cleanup()


browser = None


def path(name):
    return Path(browser.folder.name) / name


def nearer(*args):
    """Runs the command in the folder of the tests."""
    done = subprocess.run([NEARER, "-q", *map(str, args)], cwd=browser.folder.name, capture_output=True, text=True)
    assert done.returncode == 0, f"nearer {args}: {done.stderr}"
    return done.stdout


def example(name):
    return ROOT / "examples" / name


def rows(text):
    return list(csv.reader(io.StringIO(text)))


class PageTest(unittest.TestCase):
    """A test with a page in front of it."""

    maxDiff = None

    def open(self, name, **context):
        context.setdefault("viewport", {"width": 1280, "height": 900})
        window = browser.chromium.new_context(accept_downloads=True, **context)
        page = window.new_page()
        page.set_default_timeout(WAIT)
        self.trouble, self.asked = [], []
        page.on("console", lambda m: DRIVERS.search(m.text) or self.trouble.append(f"{m.type}: {m.text}"))
        page.on("pageerror", lambda e: self.trouble.append(f"error: {e}"))
        page.on("dialog", lambda d: (self.trouble.append(f"dialog: {d.message}"), d.dismiss()))
        page.on("request", lambda r: self.asked.append(r.url))
        address = path(name).as_uri()
        page.goto(address)
        page.wait_for_selector("html[data-ready]", state="attached")

        def quiet():
            window.close()
            self.assertEqual(self.trouble, [], "the console is not empty")
            strange = [u for u in self.asked if u != address and not u.startswith(("data:", "blob:"))]
            self.assertEqual(strange, [], "the page asked for something")

        self.addCleanup(quiet)
        self.page = page
        return page

    # What the page holds.

    def data(self):
        return json.loads(self.page.locator("#data").text_content())

    def of_map(self, expression):
        """Something of the map as the drawing library has it."""
        return self.page.evaluate(f"() => {{ const map = document.getElementById('map'); return {expression}; }}")

    def of(self, chart, expression):
        return self.page.evaluate(f"() => {{ const chart = document.getElementById('{chart}'); return {expression}; }}")

    def shapes(self, name):
        return self.of_map(f"map.layout.shapes.filter((s) => s.name === '{name}')")

    def labels(self):
        return self.of_map("map.layout.annotations.filter((a) => a.name === 'label').map((a) => a.text)")

    def drawn(self):
        """Every point that the map draws, with its colour and symbol, by place."""
        return self.of_map(
            "map.data.filter((t) => t.mode === 'markers').flatMap((t) => Array.from(t.x, (x, i) => "
            "({x, y: t.y[i], colour: Array.isArray(t.marker.color) ? t.marker.color[i] : t.marker.color, symbol: t.marker.symbol, type: t.type})))"
        )

    # What a reader does.

    def place(self, k):
        return self.page.evaluate(PLACE, k)

    def hover(self, k):
        x, y = self.place(k)
        self.page.mouse.move(x - 30, y - 30)
        self.page.mouse.move(x, y, steps=4)
        self.page.wait_for_selector("#card:not([hidden])")
        return self.page.locator("#card").inner_text()

    def click(self, k):
        self.hover(k)
        x, y = self.place(k)
        self.page.mouse.click(x, y)

    def download(self, selector):
        with self.page.expect_download() as waiting:
            self.page.click(selector)
        return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()

    def until(self, condition, *args):
        self.page.wait_for_function(condition, arg=args[0] if args else None)
