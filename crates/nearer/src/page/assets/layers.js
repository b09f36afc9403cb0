// What lies under and over the points, as the figures of `nearer plot` have it: hulls, ellipses and spiders of groups, arrows of
// columns of numbers, lines of equal density. In the plane only.

const MOST_GROUPS = 24;
const flat = () => !state.three && dim > 1;

/** The groups that a column makes: their names, their colours and the group of each object, -1 where it has none; or null. */
function grouping(column) {
  if (!column) return null;
  if (column.kind === 'groups') {
    if (column.literal || column.groups.length > MOST_GROUPS) return null;
    const shape = columns[state.shape];
    const beside = columns[state.colour] === column && shape && shape !== column;
    return { names: column.groups.map((g) => g.name), colours: column.groups.map((g) => (beside ? g.beside : g.alone.colour)), of: (k) => groupOf(column, k) };
  }
  // Numbers make groups where there are few of them: clusters, years.
  const different = [...new Set(column.values.filter((v) => v !== null))].sort((a, b) => a - b);
  if (different.length > MOST_GROUPS) return null;
  const palette = data.colours.palette;
  return { names: different.map(show), colours: different.map((_, g) => palette[g % palette.length]), of: (k) => (column.values[k] === null ? -1 : different.indexOf(column.values[k])) };
}

/** The column whose groups are drawn: the one that was chosen, or the one that colours, or the first that makes any. */
function groupedBy() {
  if (state.groups >= 0) return state.groups;
  if (grouping(columns[state.colour])) return state.colour;
  return columns.findIndex((c) => grouping(c) !== null);
}

/** The groups that are drawn, each with the places of its objects that the legend lets be seen. */
function groupsShown(look) {
  const made = grouping(columns[groupedBy()]);
  if (!made || !flat()) return [];
  const [x, y] = [axes[state.axes[0]], axes[state.axes[1]]];
  const groups = made.names.map((text, g) => ({ text, colour: look.dark ? outline(tint(made.colours[g]), look) : tint(made.colours[g]), points: [] }));
  for (let k = 0; k < count; k++) {
    const g = made.of(k);
    if (g >= 0 && visible(k, lookOf(k))) groups[g].points.push([x[k], y[k]]);
  }
  return groups.filter((g) => g.points.length > 0);
}

const middle = (points) => [0, 1].map((i) => points.reduce((sum, p) => sum + p[i], 0) / points.length);

/** The convex hull, counter-clockwise (Andrew 1979). */
function hull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]).filter((p, i, all) => i === 0 || p[0] !== all[i - 1][0] || p[1] !== all[i - 1][1]);
  if (sorted.length < 3) return [];
  const left = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  const half = (of) => {
    const side = [];
    for (const p of of) {
      while (side.length > 1 && left(side[side.length - 2], side[side.length - 1], p) <= 0) side.pop();
      side.push(p);
    }
    return side.slice(0, -1);
  };
  const around = [...half(sorted), ...half(sorted.reverse())];
  return around.length > 2 ? around : [];
}

/** The outline that holds 95 % of a normal distribution with the mean and covariance of some points. */
function normalOutline(points) {
  if (points.length < 3) return [];
  const [mx, my] = middle(points);
  const moment = (f) => points.reduce((sum, p) => sum + f(p[0] - mx, p[1] - my), 0) / (points.length - 1);
  const [xx, yy, xy] = [moment((u) => u * u), moment((_, v) => v * v), moment((u, v) => u * v)];
  const [mean, half] = [(xx + yy) / 2, Math.hypot((xx - yy) / 2, xy)];
  const size = Math.sqrt(-2 * Math.log(1 - 0.95));
  const [a, b, angle] = [size * Math.sqrt(mean + half), size * Math.sqrt(Math.max(0, mean - half)), 0.5 * Math.atan2(2 * xy, xx - yy)];
  return Array.from({ length: 65 }, (_, step) => {
    const t = (2 * Math.PI * step) / 64;
    return [mx + a * Math.cos(t) * Math.cos(angle) - b * Math.sin(t) * Math.sin(angle), my + a * Math.cos(t) * Math.sin(angle) + b * Math.sin(t) * Math.cos(angle)];
  });
}

/** The traces of everything that is switched on, under the points. */
function layerTraces(look) {
  if (!flat()) return [];
  const bare = { type: 'scatter', hoverinfo: 'skip', showlegend: false };
  const area = (name, outlineOf, colour, dash) => {
    const closed = [...outlineOf, outlineOf[0]];
    return { ...bare, name, mode: 'lines', x: closed.map((p) => p[0]), y: closed.map((p) => p[1]), line: { color: colour, width: 1.3, dash }, fill: 'toself', fillcolor: `${colour}${look.dark ? '22' : '18'}` };
  };
  const traces = [];
  if (state.contours) {
    const lines = contours();
    traces.push({ ...bare, name: 'contours', mode: 'lines', x: lines.x, y: lines.y, line: { color: look.frame, width: 1 } });
  }
  const groups = state.hulls || state.groupEllipses || state.spiders ? groupsShown(look) : [];
  for (const g of groups) {
    const round = state.hulls ? hull(g.points) : [];
    if (round.length) traces.push(area('hull', round, g.colour, 'solid'));
    const normal = state.groupEllipses ? normalOutline(g.points) : [];
    if (normal.length) traces.push(area('group ellipse', normal, g.colour, state.hulls ? '5px,3px' : 'solid'));
    if (state.spiders) {
      const [mx, my] = middle(g.points);
      traces.push({ ...bare, name: 'spider', mode: 'lines', x: g.points.flatMap((p) => [mx, p[0], null]), y: g.points.flatMap((p) => [my, p[1], null]), line: { color: g.colour, width: 1 } });
    }
  }
  const drawn = arrowLines();
  if (drawn.length) {
    const path = { x: [], y: [] };
    for (const { from, to } of drawn) {
      const [u, v] = [to[0] - from[0], to[1] - from[1]];
      const side = (turn) => [to[0] - 0.1 * (u * Math.cos(turn) - v * Math.sin(turn)), to[1] - 0.1 * (u * Math.sin(turn) + v * Math.cos(turn))];
      for (const p of [from, to, side(0.45), to, side(-0.45)]) { path.x.push(p[0]); path.y.push(p[1]); }
      path.x.push(null);
      path.y.push(null);
    }
    traces.push({ ...bare, name: 'arrows', mode: 'lines', x: path.x, y: path.y, line: { color: look.ink, width: 1.4 } });
  }
  return traces;
}

/** The arrows that are shown, from the middle of the map: the longest as long as there is room for, the others by how well they fit. */
function arrowLines() {
  const shown = (data.arrows?.of ?? []).filter((_, i) => state.arrows.has(i));
  if (!flat() || shown.length === 0) return [];
  const [x, y] = [axes[state.axes[0]], axes[state.axes[1]]];
  const mean = (v) => { let sum = 0; for (const a of v) sum += a; return sum / count; };
  const from = [mean(x), mean(y)];
  const ends = [span(x), span(y)];
  const room = (i, sign) => (sign > 0 ? ends[i][1] - from[i] : from[i] - ends[i][0]);
  const ways = shown.map((a) => [0, 1].map((i) => a.direction[state.axes[i]]));
  let scale = Infinity;
  shown.forEach((a, s) => ways[s].forEach((way, i) => {
    const along = way * Math.sqrt(a.r2);
    const fits = along === 0 ? Infinity : (0.8 * room(i, Math.sign(along))) / Math.abs(along);
    if (fits > 0) scale = Math.min(scale, fits);
  }));
  if (!Number.isFinite(scale)) scale = 1;
  const tip = (way, length) => [0, 1].map((i) => from[i] + scale * length * way[i]);
  return shown.map((a, s) => ({ text: a.name, from, to: tip(ways[s], Math.sqrt(a.r2)), way: ways[s].map((v) => v / (Math.hypot(...ways[s]) || 1)) }));
}

/** The words that belong to what is switched on: names of groups at their means, names of arrows at their tips. */
function layerWords(look) {
  if (!flat()) return [];
  const groups = state.spiders ? groupsShown(look).map((g) => ({ name: 'group', text: g.text, at: middle(g.points), colour: look.dark ? mix(g.colour, '#ffffff', 0.3) : mix(g.colour, '#000000', 0.35) })) : [];
  return [...groups, ...arrowLines().map((a) => ({ name: 'arrow', text: a.text, at: a.to, way: a.way, colour: look.ink }))].map((w) => {
    const text = cut(w.text.replace(/\s+/g, ' '), 32);
    // Beyond the head of an arrow, not over it: so many pixels to the right and upwards.
    const shift = w.way ? [w.way[0] * (textWidth(text) * 0.58 + 5), w.way[1] * 12] : [0, 0];
    return { ...w, text, shift };
  });
}

/** The same as annotations of the map, on a ground of paper so that lines do not cross them. */
function wordAnnotations(look) {
  return layerWords(look).map((w) => ({
    name: w.name, text: `<b>${plain(w.text)}</b>`, x: w.at[0], y: w.at[1], xanchor: 'center', yanchor: 'middle', xshift: w.shift[0], yshift: w.shift[1], showarrow: false, borderpad: 1,
    bgcolor: `${look.paper}c8`, font: { size: LABEL_SIZE, color: w.colour }, captureevents: false,
  }));
}

const MOST_FOR_DENSITY = 20000;

/** What lines of equal density were found last, and of which points. */
const lastContours = { key: '', lines: null };

/** Lines of equal density of the points (a normal kernel of Scott's width), at even steps up to the highest. */
function contours() {
  const key = JSON.stringify([state.axes, [...state.hidden], state.range, state.colour, state.shape]);
  if (lastContours.key !== key) Object.assign(lastContours, { key, lines: contourLines() });
  return lastContours.lines;
}

function contourLines() {
  const [GRID, LEVELS] = [72, 6];
  const lines = { x: [], y: [] };
  const step = Math.max(1, Math.ceil(count / MOST_FOR_DENSITY));
  const points = [];
  for (let k = 0; k < count; k += step) if (visible(k, lookOf(k))) points.push([axes[state.axes[0]][k], axes[state.axes[1]][k]]);
  const n = points.length;
  if (n < 3) return lines;
  const mean = middle(points);
  const width = [0, 1].map((i) => Math.sqrt(points.reduce((sum, p) => sum + (p[i] - mean[i]) ** 2, 0) / (n - 1)) * n ** (-1 / 6));
  if (!(width[0] > 0 && width[1] > 0)) return lines;
  const ends = [0, 1].map((i) => { const [low, high] = span(points.map((p) => p[i])); return [low - 2 * width[i], high + 2 * width[i]]; });
  const at = (i, g) => ends[i][0] + ((ends[i][1] - ends[i][0]) * g) / (GRID - 1);
  const bells = [0, 1].map((i) => Array.from({ length: GRID }, (_, g) => Float64Array.from(points, (p) => Math.exp(-0.5 * ((p[i] - at(i, g)) / width[i]) ** 2))));
  const density = bells[0].map((a) => bells[1].map((b) => { let sum = 0; for (let k = 0; k < n; k++) sum += a[k] * b[k]; return sum; }));
  const most = Math.max(...density.map((column) => Math.max(...column)));
  for (let l = 1; l <= LEVELS; l++) {
    const level = (most * l) / (LEVELS + 1);
    for (let i = 0; i < GRID - 1; i++) {
      for (let j = 0; j < GRID - 1; j++) {
        const corners = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]];
        const crossed = [];
        for (let c = 0; c < 4; c++) {
          const [[a, b], [d, e]] = [corners[c], corners[(c + 1) % 4]];
          const [p, q] = [density[a][b], density[d][e]];
          if (p < level === q < level) continue;
          const t = (level - p) / (q - p);
          crossed.push([at(0, a) + t * (at(0, d) - at(0, a)), at(1, b) + t * (at(1, e) - at(1, b))]);
        }
        for (let c = 0; c + 1 < crossed.length; c += 2) {
          lines.x.push(crossed[c][0], crossed[c + 1][0], null);
          lines.y.push(crossed[c][1], crossed[c + 1][1], null);
        }
      }
    }
  }
  return lines;
}

/** How far the layers reach beyond the points, for the frame of the whole map. */
function layerReach() {
  const outlines = state.groupEllipses ? groupsShown(theme(false)).map((g) => normalOutline(g.points)) : [];
  return [...outlines.flat(), ...(state.contours && flat() ? contourEnds() : []), ...arrowLines().map((a) => a.to)];
}

function contourEnds() {
  const lines = contours();
  const [x, y] = [lines.x, lines.y].map((v) => span(v.filter((a) => a !== null)));
  return x[0] < x[1] ? [[x[0], y[0]], [x[1], y[1]]] : [];
}

/** The arrows beside the map: each with how well it fits, and a switch. */
function arrowLegend(legend) {
  const all = data.arrows?.of ?? [];
  if (!state.showArrows || all.length === 0) return;
  const p = (v) => v.toFixed(Math.ceil(Math.log10(data.arrows.permutations + 1)));
  const items = all.map((a, i) => make('li', {}, make('button', { type: 'button', 'aria-pressed': String(state.arrows.has(i)), 'data-arrow': String(i), title: state.arrows.has(i) ? 'Hide' : 'Show', onclick: () => {
    if (state.arrows.has(i)) state.arrows.delete(i);
    else state.arrows.add(i);
    drawLegend();
    drawMap();
    byId('legend').querySelector(`[data-arrow="${i}"]`)?.focus();
  } }, make('bdi', {}, cut(a.name, 60)), make('span', { class: 'count' }, `R² ${a.r2.toFixed(3)}, p ${p(a.p)}`))));
  legend.append(make('h3', {}, 'Arrows'), make('ul', {}, ...items), make('p', { class: 'quiet' }, `Where a column grows; as long as it fits well. p by ${data.arrows.permutations} shuffles.`));
}

/** The switches of the layers. */
function wireLayers() {
  const makes = columns.some((c) => grouping(c) !== null);
  const select = byId('groups-by');
  select.append(make('option', { value: '-1' }, 'as coloured'));
  columns.forEach((c, k) => grouping(c) && select.append(make('option', { value: String(k) }, cut(c.name, 40))));
  select.value = String(state.groups);
  select.closest('label').hidden = !makes || dim === 1;
  const drawAnew = async (change) => {
    const whole = seesAll();
    change();
    drawLegend();
    await drawMap();
    if (whole && flat()) await wholeMap();
  };
  select.addEventListener('change', () => drawAnew(() => (state.groups = Number(select.value))));
  for (const [id, field, there] of [['hulls', 'hulls', makes], ['group-ellipses', 'groupEllipses', makes], ['spiders', 'spiders', makes], ['contours', 'contours', true], ['arrows', 'showArrows', (data.arrows?.of ?? []).length > 0]]) {
    const box = byId(id);
    box.closest('label').hidden = !there || dim === 1;
    box.checked = state[field];
    box.addEventListener('change', () => drawAnew(() => {
      state[field] = box.checked;
      if (field === 'showArrows') state.arrows = new Set(box.checked ? data.arrows.of.keys() : []);
    }));
  }
  ['title-x', 'title-y'].forEach((id, i) => {
    byId(id).value = state.titles[i];
    byId(id).closest('label').hidden = dim === 1 && i === 1;
    byId(id).addEventListener('input', () => { state.titles[i] = byId(id).value; drawMap(); });
  });
}

/** Whether every point is in view. */
function seesAll() {
  if (state.three || !map._fullLayout?.xaxis) return false;
  const inside = (range, values) => { const [low, high] = span(values); return range[0] <= low && high <= range[1]; };
  return inside(map._fullLayout.xaxis.range, axes[state.axes[0]]) && (dim === 1 || inside(map._fullLayout.yaxis.range, axes[state.axes[1]]));
}
