"""Judgements on the page, agreement with the figures of the command, labels of strangers, many points."""
import csv
import re
import xml.etree.ElementTree as xml

from desk import PageTest, example, nearer, path, rows

NASTY = [
    "</script><script>alert(1)</script>",
    "\"><img src=x onerror=alert(2)>",
    "=cmd()",
    "שלום עולם",
    "🍋🍐 fruit",
    "n" * 300,
    "",
    "<b>bold</b> &amp; <br> $x^2$",
    "a,b \"quoted\"\nsecond line",
    "-1+1",
    "`tick` ${alert(3)}",
    "javascript:alert(4)",
    "end ]]> of",
]


def setUpModule():
    answers = example("judgements.csv")
    nearer("embed", answers, "--method", "naive-order", "--repair", "cheapest", "-o", "fruit.nearer")
    nearer("report", "fruit.nearer", answers, "--title", "Fruit", "-o", "fruit.html")
    nearer("embed", example("alike.csv"), "--method", "naive-order", "--repair", "cheapest", "-o", "alike.html")
    with open(path("nasty.csv"), "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["label", "x1", "x2"])
        out.writerows([[label, k % 4, k // 4] for k, label in enumerate(NASTY)])
    with open(path("nasty-meta.csv"), "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["label", "<img src=y onerror=alert(5)>", "size"])
        out.writerows([[label, NASTY[(k + 1) % 6], k / 3] for k, label in enumerate(NASTY)])
    nearer("report", "nasty.csv", "--metadata", "nasty-meta.csv", "--colour-by", "<img src=y onerror=alert(5)>",
           "--title", NASTY[0], "-o", "nasty.html")
    with open(path("crowd.csv"), "w") as file:
        file.write("label,x1,x2\n")
        file.writelines(f"p{k},{(k * 7919 % 6000) / 60},{(k * 104729 % 5987) / 60}\n" for k in range(6000))
    nearer("report", "crowd.csv", "-o", "crowd.html")
    path("pictures").mkdir()
    path("pictures/lemon.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><circle r="12" cx="20" cy="15"/></svg>')
    nearer("report", "fruit.nearer", "--images", "pictures", "-o", "pictures.html")


class Judgements(PageTest):
    def test_what_people_said_is_spelled_out(self):
        page = self.open("fruit.html")
        text = page.inner_text("#evidence")
        for part in ["Contradictions", "`lemon` is nearer to `lime` than to `apple`: 2 say yes, 1 no", "Noise ceiling", "Who disagrees", "Cem"]:
            self.assertIn(part, text)
        self.assertGreater(len(page.query_selector_all("#evidence ol.circle li")), 2)
        self.assertEqual(len(page.query_selector_all("#people tbody tr")), 4)
        e = self.data()["report"]["judgements"]
        interval = e["comparisons"]["interval"]
        self.assertIn(f"{100 * e['agreement']:.1f} % of {e['comparisons']['rows']} comparisons", page.inner_text("header"))
        self.assertIn(f"{100 * interval['low']:.1f} % to {100 * interval['high']:.1f} %", page.inner_text("#good"))

    def test_a_violated_judgement_lights_up_both_pairs(self):
        page = self.open("fruit.html")
        worst = self.data()["report"]["judgements"]["worst"][0]
        first = page.inner_text("#violated li:first-child")
        self.assertEqual([*re.findall("“(.*?)”", first)], [*re.findall("`(.*?)`", worst["judgement"])])
        page.click("#violated li:first-child button")
        self.until("() => document.getElementById('map').layout.shapes.filter((s) => s.name === 'pair').length === 2")
        length = [((s["x0"] - s["x1"]) ** 2 + (s["y0"] - s["y1"]) ** 2) ** 0.5 for s in self.shapes("pair")]
        self.assertAlmostEqual(length[0], worst["near"], places=9)
        self.assertAlmostEqual(length[1], worst["far"], places=9)

    def test_an_object_is_held_by_judgements(self):
        page = self.open("fruit.html")
        k = self.data()["labels"].index("lemon")
        self.click(k)
        page.wait_for_selector("#detail .rows.good")
        counts = [int(n) for n in re.findall(r"\((\d+)\)", page.inner_text("#detail"))]
        judged = self.data()["judged"]
        about = [r for r in range(len(judged["verdict"])) if k in [judged[side][e][r] for side in ("near", "far") for e in (0, 1)]]
        self.assertEqual(sum(counts[:2]), len(about))
        self.assertIn("lemon", page.inner_text("#detail .rows.good"))

    def test_pairs_alike_and_not(self):
        page = self.open("alike.html")
        self.assertIn("are on the right side of a radius chosen for each object", page.inner_text("#good"))
        self.assertIn("alike", page.inner_text("#evidence"))
        self.assertEqual(self.data()["judged"]["kind"], "pairs")


class Pictures(PageTest):
    def test_a_picture_is_shown_under_the_pointer_and_beside_the_map(self):
        page = self.open("pictures.html")
        k = self.data()["labels"].index("lemon")
        self.click(k)
        for place in ("#card", "#detail"):
            image = page.locator(f"{place} img")
            self.assertEqual((image.get_attribute("alt"), image.evaluate("(i) => i.naturalWidth")), ("lemon", 40))
        self.hover(self.data()["labels"].index("banana"))
        self.until("() => document.querySelector('#card strong').textContent === 'banana' && !document.querySelector('#card img')")


class Strangers(PageTest):
    def test_labels_are_text_everywhere(self):
        page = self.open("nasty.html")
        self.assertEqual(page.inner_text("h1"), NASTY[0])
        self.assertEqual(len(page.query_selector_all("img, iframe, object, b")), 0)
        self.assertEqual(page.evaluate("() => document.scripts.length"), 3)
        for k, label in enumerate(NASTY):
            card = self.hover(k)
            shown = "(no label)" if label == "" else re.sub(r"\s+", " ", label)
            self.assertIn(shown[:60], re.sub(r"\s+", " ", card))
        page.click("#table summary")
        page.wait_for_selector("#table tbody tr")
        names = page.evaluate("() => [...document.querySelectorAll('#table tbody th')].map((t) => t.textContent)")
        self.assertEqual([n[:70] for n in names], [(l or "(no label)")[:70] for l in NASTY])

    def test_they_can_be_searched_told_about_and_filtered(self):
        page = self.open("nasty.html")
        for label in NASTY[:4]:
            page.fill("#search", label[:20])
            page.press("#search", "Enter")
            self.assertEqual(page.inner_text("#detail h3"), label)
        page.locator("#legend button").first.click()
        self.until("() => document.getElementById('map').getAttribute('aria-label').includes('shown')")
        self.assertEqual(len(page.query_selector_all("#legend img")), 0)

    def test_the_map_shows_tags_and_entities_as_they_are(self):
        page = self.open("nasty.html")
        drawn = page.evaluate("() => [...document.querySelectorAll('#map .annotation-text')].map((t) => t.textContent)")
        self.assertIn("<b>bold</b> &amp; <br> $x^2$", drawn)
        self.assertIn("</script><script>alert(1)</scri…", drawn)
        self.assertIn("שלום עולם", drawn)

    def test_csv_neutralises_formulas_and_keeps_the_rest(self):
        self.open("nasty.html")
        _, content = self.download("#save-csv")
        table = rows(content.decode())
        guarded = {"=cmd()": "'=cmd()", "-1+1": "'-1+1"}
        self.assertEqual([r[0] for r in table[1:]], [guarded.get(l, l) for l in NASTY])
        self.assertEqual([float(r[1]) for r in table[1:]], [k % 4 for k in range(len(NASTY))])

    def test_the_svg_is_well_formed_and_holds_no_script(self):
        self.open("nasty.html")
        _, content = self.download("[data-save=map][data-format=svg]")
        tree = xml.fromstring(content)
        tags = {e.tag.split("}")[-1] for e in tree.iter()}
        self.assertFalse(tags & {"script", "foreignObject", "image", "a"}, tags)
        self.assertIn("=cmd()", "".join(tree.itertext()))
        self.assertIn("end ]]> of", "".join(tree.itertext()))
        _, content = self.download("[data-save=map][data-format=png]")
        self.assertTrue(content.startswith(b"\x89PNG"))


class Labels(PageTest):
    def test_labels_never_overlap_and_more_appear_as_one_zooms(self):
        page = self.open("crowd.html")
        self.assertEqual(self.labels(), [])
        self.assertEqual({p["type"] for p in self.drawn()}, {"scattergl"})
        self.assertNotIn("WebGL", page.inner_text("#map"))
        for _ in range(6):
            page.click("#zoom-in")
        self.until("() => document.getElementById('map').layout.annotations.filter((a) => a.name === 'label').length > 10")
        boxes = page.evaluate("""() => [...document.querySelectorAll('#map .annotation-text')].map((t) => { const b = t.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]; })""")
        overlaps = [(a, b) for i, a in enumerate(boxes) for b in boxes[:i] if a[0] < b[2] - 1 and b[0] < a[2] - 1 and a[1] < b[3] - 1 and b[1] < a[3] - 1]
        self.assertEqual(overlaps, [])

    def test_many_points_are_packed_and_hover_finds_the_right_one(self):
        page = self.open("crowd.html")
        self.assertIn("f32", self.data()["axes"][0])
        for _ in range(7):
            page.click("#zoom-in")
        page.wait_for_timeout(200)
        k, x, y = page.evaluate("""() => { const map = document.getElementById('map'); const {xaxis, yaxis} = map._fullLayout; const box = map.getBoundingClientRect(); const t = map.data[0];
          const mid = [xaxis._length / 2, yaxis._length / 2]; let best = [Infinity];
          for (let k = 0; k < t.x.length; k++) { const [px, py] = [xaxis.l2p(t.x[k]), yaxis.l2p(t.y[k])]; const d = Math.hypot(px - mid[0], py - mid[1]); if (d < best[0]) best = [d, k, box.left + xaxis._offset + px, box.top + yaxis._offset + py]; }
          return best.slice(1); }""")
        page.mouse.move(x - 20, y - 20)
        page.mouse.move(x, y, steps=5)
        page.wait_for_selector("#card:not([hidden])")
        self.assertEqual(page.inner_text("#card").strip(), f"p{k}")


class Agreement(PageTest):
    """`nearer plot` and the page: same colours, same pose, same numbers."""

    @classmethod
    def setUpClass(cls):
        cities, meta = example("cities.csv"), example("cities-meta.csv")
        nearer("embed", cities, "-o", "same.nearer", "-o", "same.csv")
        nearer("plot", "same.nearer", "--metadata", meta, "--colour-by", "country", "--shape-by", "setting", "-o", "same.svg")
        nearer("report", "same.nearer", cities, "--metadata", meta, "--colour-by", "country", "--shape-by", "setting", "-o", "same.html")
        nearer("eval", "same.nearer", cities, "--shepard", "shepard.svg")

    def test_colours_and_pose(self):
        self.open("same.html")
        tree = xml.fromstring(path("same.svg").read_text())
        figure = {}
        for group in tree.iter("{http://www.w3.org/2000/svg}g"):
            for mark in group.findall("{http://www.w3.org/2000/svg}path"):
                title = mark.find("{http://www.w3.org/2000/svg}title")
                if title is not None:
                    figure[title.text] = group.get("fill")
        labels, axes = self.data()["labels"], self.data()["axes"]
        drawn = {(p["x"], p["y"]): p for p in self.drawn()}
        page = {label: drawn[(axes[0][k], axes[1][k])]["colour"] for k, label in enumerate(labels)}
        self.assertEqual(page, figure)
        known = rows(path("same.csv").read_text())[1:]
        self.assertEqual([(r[0], float(r[1]), float(r[2])) for r in known], list(zip(labels, *axes)))
        (ax, ay), (bx, by) = self.place(labels.index("Athens")), self.place(labels.index("Stockholm"))
        self.assertEqual(bx > ax, axes[0][labels.index("Stockholm")] > axes[0][labels.index("Athens")])
        self.assertEqual(by < ay, axes[1][labels.index("Stockholm")] > axes[1][labels.index("Athens")], "upwards is up")

    def test_numbers(self):
        self.open("same.html")
        text = path("same.svg").read_text()
        self.assertIn(self.data()["corner"], text)
        # The scale bar is as long as it says.
        scale, right = self.of_map("(({ text, x }) => [text, x])(map.layout.annotations.find((a) => a.name === 'scale'))")
        width = self.of_map("map._fullLayout.xaxis.range[1] - map._fullLayout.xaxis.range[0]")
        self.assertAlmostEqual(right * width / float(scale), 1, places=9)
        figure = path("shepard.svg").read_text()
        for mark in self.of("shepard", "[...chart.layout.xaxis.ticktext, ...chart.layout.yaxis.ticktext]"):
            self.assertIn(f">{mark}<", figure)
