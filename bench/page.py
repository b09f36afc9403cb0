#!/usr/bin/env python3
"""Measures the page in a real browser: how large it is, how soon it shows something, how smoothly it pans.

    python3 bench/page.py [--n 50,100000]

Needs `cargo` and `python3`; chromium and its driver are those of `cargo xtask browser`. NEARER is the command (default:
the release build). The browser draws without a graphics card here, so frames are slower than on a desk.
"""
import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
NEARER = os.environ.get("NEARER", str(TARGET / "release" / "nearer"))
DRIVER = TARGET / "browser" / "bin" / "python"

# What a page of results tells about the machine.
KEPT = ("date", "processor", "cores", "memory", "system", "nearer")
# Says when the map is drawn, in milliseconds after the page was asked for.
READY = """new MutationObserver((_, o) => { if (document.documentElement.hasAttribute('data-ready')) { window.drawnAt = performance.now(); o.disconnect(); } })
  .observe(document, { attributes: true, subtree: true });"""
# Drags the map with real pointer events, one step a frame, and gives the time between frames.
PAN = """() => new Promise((done) => {
  const map = document.getElementById('map'); const area = map.querySelector('.nsewdrag'); const box = area.getBoundingClientRect();
  const at = (type, x, y, on) => on.dispatchEvent(new MouseEvent(type, { bubbles: true, cancelable: true, view: window, clientX: x, clientY: y, button: 0, buttons: 1 }));
  let [x, y] = [box.left + box.width / 2, box.top + box.height / 2]; at('mousedown', x, y, area);
  const gaps = []; let last = performance.now(); let steps = 60;
  const cover = () => document.querySelector('.dragcover') ?? document;
  const tick = (now) => { gaps.push(now - last); last = now; if (steps-- === 0) { at('mouseup', x, y, cover()); return done(gaps.slice(2)); } x += 3; y += 1.5; at('mousemove', x, y, cover()); requestAnimationFrame(tick); };
  requestAnimationFrame(tick); })"""


def measure(n, folder, chromium):
    rng = random.Random(n)
    rows = (f"object {k},{rng.gauss(0, 1) + 3 * (k % 7)!r},{rng.gauss(0, 1) + 2 * (k % 5)!r}\n" for k in range(n))
    source, page_file = folder / f"map-{n}.csv", folder / f"page-{n}.html"
    source.write_text("label,x1,x2\n" + "".join(rows))
    subprocess.run([NEARER, "-q", "report", source, "-o", page_file], check=True)
    page = chromium.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(300_000)
    page.add_init_script(READY)
    page.goto(page_file.as_uri())
    page.wait_for_function("() => window.drawnAt !== undefined")
    paint = page.evaluate("() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null")
    drawn = page.evaluate("() => window.drawnAt")
    page.wait_for_timeout(500)
    before = page.evaluate("() => document.getElementById('map')._fullLayout.xaxis.range[0]")
    profiler = page.context.new_cdp_session(page)
    profiler.send("Profiler.enable")
    profiler.send("Profiler.start")
    gaps = page.evaluate(PAN)
    script = script_time(profiler.send("Profiler.stop")["profile"]) / len(gaps)
    page.wait_for_timeout(500)
    after = page.evaluate("() => document.getElementById('map')._fullLayout.xaxis.range[0]")
    assert before != after, "the map did not pan"
    page.close()
    late = sorted(gaps)[int(0.95 * len(gaps))]
    return [f"{n:,}", f"{page_file.stat().st_size / 1e6:.2f}", f"{paint:.0f}", f"{drawn:.0f}", f"{script:.1f}", f"{statistics.median(gaps):.1f}", f"{late:.1f}"]


def script_time(profile):
    """Milliseconds in scripts: what is left of a frame for a graphics card that draws at once."""
    names = {node["id"]: node["callFrame"]["functionName"] for node in profile["nodes"]}
    spent = zip(profile["samples"], profile["timeDeltas"])
    return sum(micro for node, micro in spent if names[node] not in ("(program)", "(idle)", "(root)")) / 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", default="50,1000,100000", help="how many points, one page each")
    args = parser.parse_args()
    if Path(sys.executable) != DRIVER:
        if not DRIVER.exists():
            sys.exit("the driver is missing; `cargo xtask browser` installs it")
        return subprocess.run([DRIVER, *sys.argv]).returncode
    sys.path.insert(0, str(ROOT / "crates" / "nearer-cli" / "tests" / "browser"))
    import desk
    import markdown
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver, tempfile.TemporaryDirectory() as folder:
        chromium = driver.chromium.launch(executable_path=desk.CHROMIUM, args=desk.FLAGS)
        lines = [measure(int(n), Path(folder), chromium) for n in args.n.split(",")]
        version = chromium.version
        chromium.close()
    pairs, machine = markdown.machine()
    load = f"{os.getloadavg()[0]:.1f}"
    text = "\n".join([
        "# The page in a browser", "", "`python3 bench/page.py`", "",
        "Milliseconds after the page was asked for, from a file: first paint is the first text, drawn is the whole map. A frame is",
        "one step of a pan of 60; 16.7 ms is all a screen can show. There is no graphics card here: WebGL runs in software, and",
        "a frame is mostly that. The script's part of a frame is what would be left with a card.", "",
        markdown.table(["", ""], [*[p for p in pairs if p[0] in KEPT], ["chromium", version], ["load average", load]]), "",
        markdown.table(["points", "file MB", "first paint ms", "drawn ms", "script ms a frame", "frame ms, median", "frame ms, 95 %"], lines), ""])
    markdown.write(text, f"{markdown.today()}-{machine}-page.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
