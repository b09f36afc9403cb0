"""What lies beside the points: hulls, ellipses, spiders, arrows, contours, titles, themes; as the figures have them."""
import math

from desk import PageTest, example, nearer, path, rows


def setUpModule():
    cities, meta = example("cities.csv"), example("cities-meta.csv")
    nearer("embed", cities, "--method", "classical-mds", "-o", "layers.nearer")
    nearer("report", "layers.nearer", "--metadata", meta, "-o", "switches.html")
    beside = ["--metadata", meta, "--hulls", "setting", "--group-ellipses", "setting", "--spiders", "setting", "--arrows", "all",
              "--contours", "--size-by", "population_millions", "--axis-titles", "west to east,south to north", "--theme", "grey"]
    nearer("report", "layers.nearer", *beside, "-o", "opened.html")
    nearer("plot", "layers.nearer", *beside, "--figure-data", "figure.csv", "-o", "figure.svg")


def figure():
    table = rows(path("figure.csv").read_text())
    return [dict(zip(table[0], row)) for row in table[1:]]


class Layers(PageTest):
    def named(self, name):
        return self.of_map(f"map.data.filter((t) => t.name === '{name}').map((t) => [Array.from(t.x), Array.from(t.y), t.line.color])")

    def words(self, name):
        return self.of_map(f"map.layout.annotations.filter((a) => a.name === '{name}').map((a) => [a.text, a.x, a.y])")

    def switch(self, box, name, count):
        self.page.check(box)
        self.until("([name, count]) => document.getElementById('map').data.filter((t) => t.name === name).length === count", [name, count])

    def test_hulls_and_means_are_those_of_the_figure(self):
        page = self.open("switches.html")
        self.assertEqual(self.named("hull"), [])
        page.select_option("#groups-by", label="setting")
        self.switch("#hulls", "hull", 2)
        wanted = {}
        for row in figure():
            if row["what"] == "hull":
                wanted.setdefault(row["name"], []).append((float(row["x"]), float(row["y"])))
        found = [list(zip(x, y))[:-1] for x, y, _ in self.named("hull")]
        self.assertEqual(sorted(map(sorted, found)), sorted(map(sorted, wanted.values())))
        page.check("#spiders")
        self.until("() => document.getElementById('map').layout.annotations.filter((a) => a.name === 'group').length === 2")
        means = {row["name"]: (float(row["x"]), float(row["y"])) for row in figure() if row["what"] == "mean"}
        for text, x, y in self.words("group"):
            mean = means[text.removeprefix("<b>").removesuffix("</b>")]
            self.assertAlmostEqual(math.dist((x, y), mean), 0, places=6)
        page.uncheck("#hulls")
        self.until("() => document.getElementById('map').data.every((t) => t.name !== 'hull')")

    def test_an_ellipse_holds_its_group_and_is_seen_whole(self):
        page = self.open("switches.html")
        page.select_option("#groups-by", label="setting")
        self.switch("#group-ellipses", "group ellipse", 2)
        self.until("""() => { const map = document.getElementById('map'), r = map._fullLayout.xaxis.range;
          return map.data.filter((t) => t.name === 'group ellipse').every((t) => t.x.every((x) => r[0] <= x && x <= r[1])); }""")

    def test_arrows_fit_as_the_figure_says_and_are_switched_one_by_one(self):
        page = self.open("switches.html")
        page.check("#arrows")
        self.until("() => document.getElementById('map').data.some((t) => t.name === 'arrows')")
        [wanted] = [row for row in figure() if row["what"] == "arrow"]
        [[x, y, _]] = self.named("arrows")
        way = (x[1] - x[0], y[1] - y[0])
        self.assertAlmostEqual(math.atan2(way[1], way[0]), math.atan2(float(wanted["y"]), float(wanted["x"])), places=9)
        legend = page.inner_text("#legend")
        self.assertIn(f"R² {float(wanted['r2']):.3f}, p {float(wanted['p']):.3f}", legend)
        self.assertEqual(self.words("arrow")[0][0], "<b>population_millions</b>")
        page.click("[data-arrow='0']")
        self.until("() => document.getElementById('map').data.every((t) => t.name !== 'arrows')")

    def test_contours_close(self):
        page = self.open("switches.html")
        self.switch("#contours", "contours", 1)
        [[x, y, _]] = self.named("contours")
        ends = {}
        for a, b in zip(x, y):
            if a is not None:
                key = (round(a, 6), round(b, 6))
                ends[key] = ends.get(key, 0) + 1
        self.assertLess(sum(n % 2 for n in ends.values()), len(ends) / 20)

    def test_a_group_that_is_hidden_takes_its_hull_along(self):
        page = self.open("switches.html")
        page.select_option("#colour-by", label="setting")
        self.switch("#hulls", "hull", 2)
        page.click("#legend button[data-key='colour 0']")
        self.until("() => document.getElementById('map').data.filter((t) => t.name === 'hull').length === 1")

    def test_titles_of_axes_are_text(self):
        page = self.open("switches.html")
        page.fill("#title-x", "<img src=x onerror=alert(1)> east")
        self.until("() => document.querySelector('#map .xtitle')?.textContent.includes('east')")
        self.assertIn("<img", page.text_content("#map .xtitle"))
        self.assertIsNone(page.query_selector("#map image[href='x']"))

    def test_it_opens_as_it_was_asked_to_in_grey(self):
        page = self.open("opened.html")
        for box in ["#hulls", "#group-ellipses", "#spiders", "#arrows", "#contours"]:
            self.assertTrue(page.is_checked(box), box)
        self.assertEqual(page.input_value("#title-x"), "west to east")
        self.assertTrue(self.of_map("map.data.some((t) => Array.isArray(t.marker?.size))"))
        colours = self.of_map("map.data.filter((t) => t.name === 'hull').map((t) => t.line.color)")
        self.assertEqual(len(colours), 2)
        for colour in colours:
            self.assertEqual(colour[1:3], colour[3:5])
            self.assertEqual(colour[1:3], colour[5:7])
        self.assertEqual(page.inner_text("#scheme"), "Scheme: grey")

    def test_on_a_phone_the_switches_are_no_wider_than_the_screen(self):
        page = self.open("opened.html", viewport={"width": 390, "height": 844})
        page.click("#choices summary")
        self.assertLessEqual(page.evaluate("() => document.documentElement.scrollWidth"), 390)
