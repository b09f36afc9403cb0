"""The map: hover, search, lasso, axes, legend, three dimensions, schemes, saving."""
import re
import xml.etree.ElementTree as xml

import desk
from desk import PageTest, example, nearer, path, rows


def setUpModule():
    cities, meta = example("cities.csv"), example("cities-meta.csv")
    nearer("embed", cities, "--method", "classical-mds", "--dim", "3", "-o", "c3.nearer", "-o", "c3.csv")
    nearer("report", "c3.nearer", cities, "--metadata", meta, "--colour-by", "country", "--dimensions", "1-4",
           "--ellipses", "jackknife", "--title", "Cities & roads", "-o", "cities.html")
    sheet = [(k, k * 0.618034 % 1 * 6, k * 0.754878 % 1 * 3) for k in range(80)]
    path("sheet.csv").write_text("object,east,north,up\n" + "".join(f"o{k},{u},{v},{(u - 3) ** 2 / 4}\n" for k, u, v in sheet))
    nearer("embed", "sheet.csv", "--method", "isomap", "--colour-by", "up", "-o", "sheet.html")
    nearer("demo", "-o", "demo")
    path("demo/page.html").rename(path("demo.html"))


class Map(PageTest):
    def test_the_demo_opens_and_says_what_the_fit_said(self):
        page = self.open("demo.html")
        self.assertEqual(page.title(), "European cities by road")
        fit = self.data()["report"]["fit"]
        text = page.inner_text("body")
        for part in [f"{fit['stress1']:.4f}", f"found {fit['starts']['found']} times out of 20", "metric-mds", "Seed", "@software{nearer"]:
            self.assertIn(part, text)
        self.assertEqual(len(self.drawn()), 21)
        self.assertEqual(len(page.query_selector_all("#worst li")), 10)

    def test_links_are_drawn_when_asked_for_and_under_the_points(self):
        page = self.open("sheet.html")
        ends = self.data()["links"]["a"]
        traces = "() => document.getElementById('map').data.map((t) => [t.mode, t.x.length])"
        self.assertNotIn("lines", [mode for mode, _ in page.evaluate(traces)])
        page.check("#links")
        self.until("() => document.getElementById('map').data[0].mode === 'lines'")
        self.assertEqual(page.evaluate(traces)[0], ["lines", 3 * len(ends)])
        self.assertIn("o7", self.hover(self.data()["labels"].index("o7")))
        self.assertEqual([c["name"] for c in self.data()["columns"]], ["east", "north", "up"])

    def test_hover_shows_label_and_metadata(self):
        self.open("cities.html")
        k = self.data()["labels"].index("Stockholm")
        card = self.hover(k)
        for part in ["Stockholm", "country", "Sweden", "setting", "coast"]:
            self.assertIn(part, card)

    def test_search_rings_what_it_finds_and_enter_tells_about_it(self):
        page = self.open("demo.html")
        page.fill("#search", "lis")
        self.assertEqual(page.inner_text("#found"), "Lisbon")
        self.until("() => document.getElementById('map').layout.shapes.some((s) => s.name === 'ring')")
        k = self.data()["labels"].index("Lisbon")
        ring = self.shapes("ring")
        self.assertEqual([(r["xanchor"], r["yanchor"]) for r in ring], [tuple(a[k] for a in self.data()["axes"][:2])])
        page.press("#search", "Enter")
        self.assertEqual(page.inner_text("#detail h3"), "Lisbon")
        page.fill("#search", "nowhere")
        self.assertIn("nothing of that name", page.inner_text("#found"))

    def test_lasso_selects_and_the_shepard_diagram_follows(self):
        page = self.open("demo.html", permissions=["clipboard-read", "clipboard-write"])
        labels = self.data()["labels"]
        wanted = ["Gibraltar", "Lisbon", "Madrid"]
        places = [self.place(labels.index(w)) for w in wanted]
        left, right = min(p[0] for p in places) - 25, max(p[0] for p in places) + 25
        top, bottom = min(p[1] for p in places) - 20, max(p[1] for p in places) + 20
        inside = [l for k, l in enumerate(labels) if left < self.place(k)[0] < right and top < self.place(k)[1] < bottom]
        page.click("[data-mode=lasso]")
        page.mouse.move(left, top)
        page.mouse.down()
        for x, y in [(right, top), (right, bottom), (left, bottom), (left, top + 2)]:
            page.mouse.move(x, y, steps=6)
        page.mouse.up()
        page.wait_for_selector("#selection:not([hidden])")
        self.assertEqual(page.inner_text("#selection h3"), f"{len(inside)} selected")
        self.assertEqual(page.inner_text("#selection .names").split("\n"), inside)
        pairs = len(inside) * (len(inside) - 1) // 2
        self.until("(n) => document.getElementById('shepard').data[0].x.length === n", pairs)
        self.assertIn(f"{pairs} pairs of the selection", page.inner_text("#shepard-says"))
        page.click("#copy-ids")
        self.until("() => document.getElementById('say').textContent === 'copied'")
        self.assertEqual(page.evaluate("() => navigator.clipboard.readText()"), "\n".join(inside))
        name, content = self.download("#selection-csv")
        table = rows(content.decode())
        self.assertEqual((name, table[0], [r[0] for r in table[1:]]), ("selection.csv", ["label", "x1", "x2"], inside))
        page.click("#clear-selection")
        self.until("() => document.getElementById('shepard').data[0].x.length === 210")

    def test_box_selection_works_too(self):
        page = self.open("demo.html")
        page.click("[data-mode=select]")
        x, y = self.place(self.data()["labels"].index("Athens"))
        page.mouse.move(x - 20, y - 20)
        page.mouse.down()
        page.mouse.move(x + 20, y + 20, steps=8)
        page.mouse.up()
        page.wait_for_selector("#selection:not([hidden])")
        self.assertEqual(page.inner_text("#selection .names"), "Athens")
        self.until("() => document.getElementById('shepard').data[0].x.length === 20")
        page.keyboard.press("Escape")
        page.wait_for_selector("#selection", state="hidden")

    def test_axes_are_chosen_and_a_unit_is_as_long_both_ways(self):
        page = self.open("cities.html")
        axes = self.data()["axes"]
        page.select_option("#axis-x", "2")
        self.until("() => document.getElementById('map').getAttribute('aria-label').includes('axes 3 and 2')")
        seen = sorted((p["x"], p["y"]) for p in self.drawn() if p["type"] == "scatter")
        self.assertEqual(seen, sorted(zip(axes[2], axes[1])))
        x, y = (self.of_map(f"(map._fullLayout.{a}.range[1] - map._fullLayout.{a}.range[0]) / map._fullLayout.{a}._length") for a in ("xaxis", "yaxis"))
        self.assertAlmostEqual(x / y, 1, places=6)
        page.select_option("#axis-y", "2")
        self.assertEqual(page.input_value("#axis-x"), "1", "the axes change places")

    def test_the_legend_filters(self):
        page = self.open("cities.html")
        before = len([p for p in self.drawn()])
        france = page.locator("#legend button", has_text="France")
        count = int(france.locator(".count").inner_text())
        france.click()
        self.until("(n) => document.getElementById('map').getAttribute('aria-label').includes(`${n} of them shown`)", 21 - count)
        self.assertEqual(len(self.drawn()), before - count)
        self.assertNotIn("Paris", self.labels())
        self.assertEqual(page.locator("#legend button", has_text="France").get_attribute("aria-pressed"), "false")
        page.locator("#legend button", has_text="France").click()
        self.until("() => !document.getElementById('map').getAttribute('aria-label').includes('shown')")

    def test_size_and_shape_by_a_column_and_a_ramp_that_filters(self):
        page = self.open("cities.html")
        page.select_option("#shape-by", label="setting")
        self.until("() => new Set(document.getElementById('map').data.map((t) => t.marker?.symbol).filter(Boolean)).size === 2")
        page.select_option("#size-by", label="population_millions")
        self.until("() => document.getElementById('map').data.some((t) => Array.isArray(t.marker?.size))")
        page.select_option("#colour-by", label="population_millions")
        page.wait_for_selector("#legend .ramp")
        page.locator("#legend input[type=range]").first.fill("500")
        self.until("() => document.getElementById('map').getAttribute('aria-label').includes('shown')")
        people = next(c for c in self.data()["columns"] if c["name"] == "population_millions")
        middle = (people["low"] + people["high"]) / 2
        self.assertEqual(len([p for p in self.drawn()]), sum(v is None or v >= middle for v in people["values"]))

    def test_a_bad_pair_lights_up_on_the_map_and_in_the_diagram(self):
        page = self.open("demo.html")
        data = self.data()
        worst = data["worst"][0]
        page.click("#worst li:first-child button")
        self.until("() => document.getElementById('map').layout.shapes.some((s) => s.name === 'pair')")
        [line] = self.shapes("pair")
        ends = {(data["axes"][0][worst[e]], data["axes"][1][worst[e]]) for e in "ab"}
        self.assertEqual({(line["x0"], line["y0"]), (line["x1"], line["y1"])}, ends)
        self.assertEqual({(r["xanchor"], r["yanchor"]) for r in self.shapes("ring")}, ends)
        self.until("() => document.getElementById('shepard').data[2].x.length === 1")
        self.assertEqual(self.of("shepard", "chart.data[2].x"), [worst["data"]])

    def test_an_object_tells_what_holds_it_there(self):
        page = self.open("demo.html")
        k = self.data()["labels"].index("Athens")
        self.click(k)
        page.wait_for_selector("#detail h4")
        text = page.inner_text("#detail")
        self.assertEqual(page.inner_text("#detail h3"), "Athens")
        self.assertRegex(text, r"Nearest in the data\s+Rome 817 in the data")
        page.locator("#detail button.row", has_text="Rome").first.click()
        self.until("() => document.getElementById('map').layout.shapes.filter((s) => s.name === 'pair').length === 1")

    def test_clicking_a_point_of_the_shepard_diagram_shows_the_pair(self):
        page = self.open("demo.html")
        x, y = page.evaluate("""() => { const c = document.getElementById('shepard'); c.scrollIntoView({block: 'center'}); const {xaxis, yaxis} = c._fullLayout;
          const box = c.getBoundingClientRect(); const i = c.data[0].x.indexOf(Math.max(...c.data[0].x));
          return [box.left + xaxis._offset + xaxis.l2p(c.data[0].x[i]), box.top + yaxis._offset + yaxis.l2p(c.data[0].y[i])]; }""")
        page.mouse.move(x - 8, y - 8)
        page.mouse.move(x, y, steps=3)
        page.mouse.click(x, y)
        self.until("() => document.getElementById('map').layout.shapes.some((s) => s.name === 'pair')")
        self.assertIn("Athens", page.text_content("#say"))
        self.assertIn("Lisbon", page.text_content("#say"))

    def test_three_dimensions_and_back(self):
        page = self.open("cities.html")
        page.click("#three")
        page.wait_for_selector("#map canvas")
        self.until("() => document.getElementById('map').data.every((t) => t.type === 'scatter3d')")
        axes = self.data()["axes"]
        drawn = self.of_map("map.data.filter((t) => t.mode === 'markers').flatMap((t) => Array.from(t.x, (x, i) => [x, t.y[i], t.z[i]]))")
        self.assertEqual(sorted(drawn), sorted(map(list, zip(*axes))))
        self.assertEqual(self.of_map("map._fullLayout.scene.aspectmode"), "data")
        self.until("() => document.getElementById('map').layout.scene.annotations.length > 5")
        before = self.of_map("JSON.stringify(map._fullLayout.scene.camera.eye)")
        box = page.locator("#map").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 120, y + 40, steps=10)
        page.mouse.up()
        self.until("(before) => JSON.stringify(document.getElementById('map')._fullLayout.scene.camera.eye) !== before", before)
        page.click("#worst li:first-child button")
        self.until("() => document.getElementById('map').data.some((t) => t.type === 'scatter3d' && t.mode === 'lines')")
        page.click("#three")
        self.until("() => document.getElementById('map').data.some((t) => t.type === 'scatter')")
        self.assertTrue(self.shapes("pair"), "the highlight survives")

    def test_zoom_pan_and_the_whole_map(self):
        page = self.open("demo.html")
        width = "map._fullLayout.xaxis.range[1] - map._fullLayout.xaxis.range[0]"
        before, left = self.of_map(width), self.of_map("map._fullLayout.xaxis.range[0]")
        page.click("#zoom-in")
        self.until("(w) => { const r = document.getElementById('map')._fullLayout.xaxis.range; return r[1] - r[0] < 0.8 * w; }", before)
        x, y = self.place(0)
        box = page.locator("#map").bounding_box()
        page.mouse.move(box["x"] + 300, box["y"] + 300)
        page.mouse.down()
        page.mouse.move(box["x"] + 200, box["y"] + 250, steps=6)
        page.mouse.up()
        page.wait_for_timeout(300)
        after = self.place(0)
        self.assertAlmostEqual(after[0], x - 100, delta=2)
        self.assertAlmostEqual(after[1], y - 50, delta=2)
        zoomed = self.of_map(width)
        page.mouse.wheel(0, -300)
        self.until("(w) => { const r = document.getElementById('map')._fullLayout.xaxis.range; return r[1] - r[0] < 0.95 * w; }", zoomed)
        # The wheel is followed by a redraw some moments later, which would undo what is clicked before it.
        seen = None
        while seen != self.of_map("map._fullLayout.xaxis.range.join()"):
            seen = self.of_map("map._fullLayout.xaxis.range.join()")
            page.wait_for_timeout(1000)
        page.click("#whole")
        self.until("([w, l]) => { const r = document.getElementById('map')._fullLayout.xaxis.range; return Math.abs(r[1] - r[0] - w) < 1e-6 * w && Math.abs(r[0] - l) < 1e-6 * w; }", [before, left])

    def test_keys_go_from_object_to_object(self):
        page = self.open("demo.html")
        page.focus("#map")
        page.keyboard.press("ArrowRight")
        page.wait_for_selector("#card:not([hidden])")
        first = page.text_content("#say")
        self.assertIn(first, self.data()["labels"])
        page.keyboard.press("ArrowUp")
        self.until("(first) => document.getElementById('say').textContent !== first", first)
        second = page.text_content("#say")
        at = self.data()["axes"][1]
        labels = self.data()["labels"]
        self.assertGreater(at[labels.index(second)], at[labels.index(first)])
        page.keyboard.press("Enter")
        self.assertEqual(page.inner_text("#detail h3"), second)

    def test_dark_scheme_by_the_system_and_by_the_button(self):
        page = self.open("demo.html", color_scheme="dark")
        ground = "() => getComputedStyle(document.querySelector('section')).backgroundColor"
        dark = page.evaluate(ground)
        self.assertLess(sum(map(int, re.findall(r"\d+", dark)[:3])), 120)
        self.assertEqual(self.of_map("map.layout.font.color"), "#ececea")
        page.click("#scheme")
        self.until("() => document.getElementById('map').layout.font.color === '#222222'")
        self.assertEqual(page.evaluate(ground), "rgb(255, 255, 255)")
        page.click("#scheme")
        self.until("() => document.getElementById('map').layout.font.color === '#ececea'")

    def test_coordinates_as_csv_are_those_of_the_map_file(self):
        self.open("cities.html")
        name, content = self.download("#save-csv")
        table = rows(content.decode())
        self.assertEqual((name, table[0]), ("map.csv", ["label", "x1", "x2", "x3", "country", "population_millions", "setting"]))
        known = rows(path("c3.csv").read_text())
        self.assertEqual([(r[0], *map(float, r[1:4])) for r in table[1:]], [(r[0], *map(float, r[1:])) for r in known[1:]])

    def test_svg_and_png_of_every_picture(self):
        page = self.open("cities.html")
        for chart in ["map", "shepard", "objects", "spectrum", "dimensions"]:
            name, content = self.download(f"[data-save={chart}][data-format=svg]")
            tree = xml.fromstring(content)
            texts = [t for t in ("".join(e.itertext()).strip() for e in tree.iter() if e.tag.endswith("}text")) if t]
            self.assertEqual(name, f"{chart}.svg")
            self.assertTrue(texts, chart)
            if chart == "map":
                self.assertIn("Athens", texts)
                self.assertIn("Sweden", texts, "the legend")
                self.assertIn(self.data()["corner"], texts)
        name, content = self.download("[data-save=map][data-format=png]")
        width = int.from_bytes(content[16:20], "big")
        self.assertTrue(content.startswith(b"\x89PNG") and width >= 2 * page.locator("#map").bounding_box()["width"])

    def test_the_report_as_json_is_the_report(self):
        self.open("demo.html")
        import json
        name, content = self.download("#save-json")
        self.assertEqual(json.loads(content), self.data()["report"])
        self.assertEqual(json.loads(content)["fit"]["method"], "metric-mds")

    def test_ellipses_are_drawn_in_their_plane_only(self):
        page = self.open("cities.html")
        filled = "map.data.filter((t) => t.fill === 'toself').length"
        self.assertGreater(self.of_map(filled), 0)
        page.select_option("#axis-y", "2")
        self.until(f"() => {{ const map = document.getElementById('map'); return {filled} === 0; }}")
        page.select_option("#axis-y", "1")
        page.uncheck("#ellipses")
        self.until(f"() => {{ const map = document.getElementById('map'); return {filled} === 0; }}")

    def test_on_a_phone_nothing_is_wider_than_the_screen(self):
        page = self.open("cities.html", viewport={"width": 390, "height": 844})
        self.assertLessEqual(page.evaluate("() => document.documentElement.scrollWidth"), 390)
        small = page.evaluate("() => [...document.querySelectorAll('button:not([hidden])')].filter((b) => b.offsetParent && b.offsetHeight < 24).map((b) => b.textContent)")
        self.assertEqual(small, [])

    def test_words_are_there_without_scripts(self):
        window = desk.browser.chromium.new_context(java_script_enabled=False)
        page = window.new_page()
        page.goto(path("demo.html").as_uri())
        text = page.inner_text("body")
        window.close()
        for part in ["European cities by road", "How sure are we", "need them", "Stress-1 (Kruskal 1964)"]:
            self.assertIn(part, text)
