// The diagrams: pair by pair, judgement by judgement, object by object, the spectrum, what dimensions and rounds bring,
// and judgements that were held out.

const QUIET_CONFIG = { displayModeBar: false, responsive: true, scrollZoom: false, doubleClick: false, showTips: false, plotlyServerURL: '' };
const BARS = 24; // objects in the diagram of objects
const PEOPLE = 40; // participants in the diagram of lapses
const VERDICTS = { usable: '', careless: '<br>careless, by two witnesses', 'another-rule': '<br>follows another rule', reversed: '<br>fewer hold than by chance: key reversed?', 'too-few': '<br>too few answers to say' };

/** A layout with two marked axes. */
function chartLayout(look, x, y) {
  const axis = (a, side) => ({
    range: [a.marks[0], a.marks[a.marks.length - 1]], tickmode: 'array', tickvals: a.marks, ticktext: a.texts ?? a.marks.map(show),
    showgrid: false, zeroline: false, showline: true, linecolor: look.quiet, linewidth: 1, ticks: 'outside', ticklen: 4, tickcolor: look.quiet,
    tickfont: { size: 11, color: look.quiet }, title: { text: a.title, font: { size: 12, color: look.ink }, standoff: 8 }, fixedrange: true, automargin: true, side,
  });
  return {
    paper_bgcolor: 'rgba(0,0,0,0)', plot_bgcolor: 'rgba(0,0,0,0)', font: { family: FONT, size: 12, color: look.ink }, showlegend: false,
    hovermode: 'closest', dragmode: false, margin: { l: 52, r: 14, t: 10, b: 44 },
    hoverlabel: { bgcolor: look.paper, bordercolor: look.frame, font: { family: FONT, size: 12, color: look.ink }, align: 'left' },
    xaxis: axis(x, 'bottom'), yaxis: axis(y, 'left'), shapes: [], annotations: [],
  };
}

/** Which pairs the selection leaves: both ends in it, or the one object that is selected among the two. */
function wanted(a, b) {
  if (!state.selected) return true;
  return state.selected.size === 1 ? state.selected.has(a) || state.selected.has(b) : state.selected.has(a) && state.selected.has(b);
}

/** What a value of the data became, where it is another number: only with it the others add up. */
const asks = (value, wanted) => (Math.abs(wanted - value) > 1e-9 * Math.abs(value) ? `, which asks for ${show(wanted)}` : '');
const residualWords = (r) => `${r > 0 ? 'too near' : 'too far apart'} by ${show(Math.abs(r))}`;
const boundWord = (side) => (side < 0 ? 'at most ' : side > 0 ? 'at least ' : '');

// For each diagram: what it draws, and what a click on a point of it does.
let drawnPairs = [];
let drawnRows = [];
let drawnObjects = [];

const charts = {
  shepard(look) {
    drawnPairs = [];
    for (let k = 0; k < pairs.a.length; k++) if (wanted(pairs.a[k], pairs.b[k])) drawnPairs.push(k);
    const far = (k) => distance(pairs.a[k], pairs.b[k]);
    const x = drawnPairs.map((k) => pairs.data[k]);
    const y = drawnPairs.map(far);
    const lit = new Set(state.lines.filter((l) => l.kind === 'pair').map((l) => `${Math.min(l.a, l.b)} ${Math.max(l.a, l.b)}`));
    const isLit = (k) => lit.has(`${Math.min(pairs.a[k], pairs.b[k])} ${Math.max(pairs.a[k], pairs.b[k])}`);
    const size = drawnPairs.length <= 300 ? 6 : drawnPairs.length <= 3000 ? 4.5 : 3;
    const text = (k) => `${plain(cut(name(pairs.a[k]), 40))} and ${plain(cut(name(pairs.b[k]), 40))}<br>${boundWord(pairs.bound?.[k] ?? 0)}${show(pairs.data[k])} in the data${asks(pairs.data[k], pairs.disparity[k])}, ${show(far(k))} on the map<br>${residualWords(pairs.disparity[k] - far(k))}`;
    const order = Array.from(pairs.a.keys()).sort((i, j) => pairs.data[i] - pairs.data[j]);
    const all = Array.from(pairs.a.keys());
    const line = { type: 'scatter', mode: 'lines', x: order.map((k) => pairs.data[k]), y: order.map((k) => pairs.disparity[k]), hoverinfo: 'skip', line: { color: look.ink, width: 1.4 } };
    const dots = {
      type: x.length > 3000 && webgl ? 'scattergl' : 'scatter', mode: 'markers', x, y, hoverinfo: 'text', cliponaxis: false,
      hovertext: x.length > 3000 ? undefined : drawnPairs.map(text), marker: { color: data.colours.palette[0], size, opacity: x.length <= 300 ? 0.8 : x.length <= 3000 ? 0.55 : 0.35 },
    };
    if (x.length > 3000) dots.hoverinfo = 'none';
    const on = drawnPairs.filter(isLit);
    const rings = { type: 'scatter', mode: 'markers', x: on.map((k) => pairs.data[k]), y: on.map(far), hoverinfo: 'skip', cliponaxis: false, marker: { symbol: 'circle', size: 11, color: FAR, line: { color: look.ink, width: 1.6 } } };
    const layout = chartLayout(look, { title: 'dissimilarity', marks: marks(pairs.data, 5) }, { title: 'distance on the map', marks: marks([...all.map(far), ...pairs.disparity], 5) });
    const known = pairs.a.length < pairs.total ? `, ${pairs.a.length} of ${pairs.total} drawn at random` : '';
    const part = state.selected ? `${drawnPairs.length} pairs of the selection` : `${pairs.total} pairs`;
    return { data: [dots, line, rings], layout, note: `${part}${known}.`, dots: 0 };
  },

  verdicts(look) {
    const inPlay = (k) => !state.selected || rowObjects(k).some((o) => state.selected.has(o));
    const show3 = (k) => `${plain(sentence(k))}<br>${show(judged.nearDistance[k])} and ${show(judged.farDistance[k])} on the map`;
    drawnRows = [];
    const parts = [1, 2, 0].map((verdict) => {
      const rows = Array.from(judged.verdict.keys()).filter((k) => judged.verdict[k] === verdict && inPlay(k));
      drawnRows.push(rows);
      const colour = verdict === 0 ? FAR : data.colours.palette[0];
      return {
        type: 'scatter', mode: 'markers', x: rows.map((k) => judged.nearDistance[k]), y: rows.map((k) => judged.farDistance[k]), hoverinfo: 'text', hovertext: rows.map(show3), cliponaxis: false,
        marker: { color: colour, symbol: verdict === 0 ? 'diamond' : 'circle', size: rows.length <= 300 ? 7 : 4.5, opacity: rows.length <= 300 ? 0.85 : 0.5 },
      };
    });
    const both = marks([...judged.nearDistance, ...judged.farDistance], 5);
    const layout = chartLayout(look, { title: 'should be smaller', marks: both }, { title: 'should be larger', marks: both });
    layout.shapes = [{ type: 'line', x0: both[0], y0: both[0], x1: both[both.length - 1], y1: both[both.length - 1], line: { color: look.ink, width: 1.2 }, layer: 'below' }];
    const drawn = drawnRows.flat();
    const bad = drawn.filter((k) => judged.verdict[k] === 0).length;
    const some = judged.verdict.length < judged.different ? ` (${judged.verdict.length} of ${judged.different} drawn at random, the worst among them)` : '';
    const of = state.selected ? ' about the selection' : '';
    return { data: parts, layout, note: `${drawn.length} different judgements${of}, ${bad} of them contradicted${some}.` };
  },

  objects(look) {
    const values = data.perObject.values;
    drawnObjects = Array.from(values.keys()).filter((k) => values[k] !== null && (!state.selected || state.selected.has(k))).sort((i, j) => values[j] - values[i]).slice(0, BARS).reverse();
    const shown = drawnObjects.map((k) => values[k]);
    const layout = chartLayout(look, { title: data.perObject.name, marks: marks([0, ...shown], 5) }, { title: '', marks: drawnObjects.map((_, i) => i), texts: drawnObjects.map((k) => plain(cut(name(k), 22))) });
    layout.yaxis.range = [-0.6, drawnObjects.length - 0.4];
    layout.yaxis.ticks = '';
    layout.bargap = 0.35;
    layout.margin.l = 20;
    const colour = drawnObjects.map((k) => (k === state.focus ? FAR : data.colours.palette[0]));
    const trace = { type: 'bar', orientation: 'h', y: drawnObjects.map((_, i) => i), x: shown, hoverinfo: 'text', hovertext: drawnObjects.map((k) => `${plain(cut(name(k), 60))}: ${show(values[k])} %`), marker: { color: colour } };
    const all = values.filter((v) => v !== null).length;
    return { data: [trace], layout, note: drawnObjects.length < all ? `${drawnObjects.length} of ${all} objects.` : '' };
  },

  spectrum(look) {
    const s = data.report.fit.spectrum;
    const values = s.eigenvalues.slice(0, 40);
    const layout = chartLayout(look, { title: 'dimension', marks: values.map((_, k) => k + 1).filter((k) => values.length <= 12 || k === 1 || k % 5 === 0) }, { title: 'eigenvalue', marks: marks([0, ...values], 5) });
    layout.xaxis.range = [0.4, values.length + 0.6];
    layout.bargap = 0.35;
    layout.shapes = [{ type: 'line', x0: 0.4, x1: values.length + 0.6, y0: 0, y1: 0, line: { color: look.quiet, width: 1 } }];
    const colour = values.map((v, k) => (v < 0 ? FAR : k < data.report.fit.dim ? data.colours.palette[0] : data.colours.palette[4]));
    const trace = { type: 'bar', x: values.map((_, k) => k + 1), y: values, hoverinfo: 'text', hovertext: values.map((v, k) => `dimension ${k + 1}: ${show(v)}`), marker: { color: colour } };
    const first = s.eigenvalues.length > 40 ? `The first 40 of ${s.eigenvalues.length}. ` : '';
    return { data: [trace], layout, note: first + (s.dims95 ? `${s.dims95} ${s.dims95 === 1 ? 'dimension carries' : 'dimensions carry'} 95 % of the positive part.` : '') };
  },

  dimensions(look) {
    const points = data.report.evaluation.by_dimension;
    // A map that keeps neighbours alone is not held against far distances.
    const far = data.report.fit?.stress1 != null || data.report.fit?.settings?.neighbours === undefined;
    const all = [['stress-1', 'stress1'], ['residual variance', 'residual_variance'], ['strangers drawn in (1 - trustworthiness)', 'trustworthiness'], ['neighbours torn apart (1 - continuity)', 'continuity']];
    const there = all.filter(([, key]) => (far || key !== 'stress1') && points.every((p) => p[key] !== undefined));
    const value = (p, key) => (key === 'trustworthiness' || key === 'continuity' ? 1 - p[key] : p[key]);
    const [x, y] = [points.map((p) => p.dim), points.flatMap((p) => there.map(([, key]) => value(p, key)))];
    const layout = chartLayout(look, { title: 'dimensions', marks: x }, { title: 'what the map misses', marks: marks([0, ...y], 5) });
    layout.xaxis.range = [Math.min(...x) - 0.3, Math.max(...x) + 0.3];
    layout.shapes = [{ type: 'line', x0: dim, x1: dim, y0: 0, y1: 1, yref: 'paper', line: { color: look.quiet, width: 1, dash: '3px,3px' }, layer: 'below' }];
    const trace = ([name, key], k) => ({ type: 'scatter', mode: 'lines+markers', name, x, y: points.map((p) => value(p, key)), hoverinfo: 'text', cliponaxis: false, hovertext: points.map((p) => `${p.dim} dimensions: ${name} ${value(p, key).toFixed(4)}`), line: { color: data.colours.palette[k], width: 2 }, marker: { size: 8, color: data.colours.palette[k] } });
    layout.showlegend = there.length > 1;
    if (layout.showlegend) layout.legend = { orientation: 'h', y: -0.25 };
    return { data: there.map(trace), layout, note: '' };
  },

  rounds(look) {
    const rounds = data.report.fit.rounds;
    const [x, broken, used] = [rounds.map((_, k) => k + 1), rounds.map((r) => r.violated), rounds.map((r) => r.rows)];
    const every = Math.ceil(x.length / 12);
    const layout = chartLayout(look, { title: 'round', marks: x.filter((k) => (k - 1) % every === 0) }, { title: 'rows', marks: marks([0, ...broken, ...used], 5) });
    layout.xaxis.range = [0.7, x.length + 0.3];
    layout.showlegend = true;
    layout.legend = { orientation: 'h', x: 0, y: 1.12, bgcolor: 'rgba(0,0,0,0)', font: { size: 11.5, color: look.ink } };
    layout.margin.t = 34;
    const text = rounds.map((r, k) => `round ${k + 1}: ${r.rows} rows in play, ${r.violated} of all broken${r.violated ? `, the worst by ${show(r.worst)}` : ''}`);
    const line = (title, y, colour, dash, symbol) => ({ type: 'scatter', mode: 'lines+markers', name: title, x, y, hoverinfo: 'text', hovertext: text, cliponaxis: false, line: { color: colour, width: 2, dash }, marker: { size: 8, color: colour, symbol } });
    const traces = [line('broken at its end', broken, FAR, 'solid', 'circle'), line('in play', used, data.colours.palette[0], '4px,3px', 'square')];
    return { data: traces, layout, note: '' };
  },

  heldout(look) {
    const h = data.report.judgements.held_out;
    const y = h.folds.map((_, k) => k);
    const low = Math.min(...h.folds.flatMap((f) => [f.test, f.train]), h.test.mean);
    const layout = chartLayout(look, { title: '% of the judgements that hold', marks: ticks(Math.max(0, 100 * low - 5), 100, 5).filter((v) => v <= 100) }, { title: 'fold', marks: y, texts: y.map((k) => String(k + 1)) });
    layout.yaxis.range = [h.folds.length - 0.4, -0.6];
    layout.showlegend = true;
    layout.legend = { orientation: 'h', x: 0, y: 1.12, bgcolor: 'rgba(0,0,0,0)', font: { size: 11.5, color: look.ink } };
    layout.margin.t = 34;
    const upright = (share, dash) => ({ type: 'line', x0: 100 * share, x1: 100 * share, y0: 0, y1: 1, yref: 'paper', line: { color: look.quiet, width: 1.2, dash }, layer: 'below' });
    const most = data.report.judgements.ceiling.share;
    layout.shapes = [upright(h.test.mean, 'solid'), upright(most, '3px,3px')];
    const dots = (title, key, colour, symbol) => ({ type: 'scatter', mode: 'markers', name: title, x: h.folds.map((f) => 100 * f[key]), y, hoverinfo: 'text', hovertext: h.folds.map((f, k) => `fold ${k + 1}: ${(100 * f[key]).toFixed(1)} % ${title}`), cliponaxis: false, marker: { size: 9, color: colour, symbol } });
    return { data: [dots('held out', 'test', FAR, 'diamond'), dots('fitted to', 'train', data.colours.palette[0], 'circle')], layout, note: `The line is the mean of what was held out, ${(100 * h.test.mean).toFixed(1)} %; the dashes are the most that any map can reach on all of them, ${(100 * most).toFixed(1)} %.` };
  },

  agreements: (look) => againstDimensions(look, 'held_out', 'agreement', '% of the judgements that hold', 100),
  likelihoods: (look) => againstDimensions(look, 'log_likelihood', null, 'log-likelihood of an answer', 1),

  'people-lapses'(look) {
    const worst = [...data.report.fit.lapses.participants].sort((a, b) => b.lapse - a.lapse);
    const shown = worst.slice(0, PEOPLE).reverse();
    const y = shown.map((_, k) => k);
    const layout = chartLayout(look, { title: 'lapses, % of the answers', marks: [0, 25, 50, 75, 100] }, { title: '', marks: y, texts: shown.map((p) => plain(cut(p.participant, 18))) });
    layout.yaxis.range = [-0.6, shown.length - 0.4];
    layout.yaxis.ticks = '';
    layout.margin.l = 20;
    layout.shapes = [{ type: 'line', x0: 50, x1: 50, y0: 0, y1: 1, yref: 'paper', line: { color: look.quiet, width: 1, dash: '3px,3px' }, layer: 'below' }];
    const text = (p) => `${plain(cut(p.participant, 60))}: ${(100 * p.lapse).toFixed(1)} % lapses (${(100 * p.low).toFixed(1)} to ${(100 * p.high).toFixed(1)} %)<br>${(100 * p.agreement).toFixed(1)} % of ${p.answers} answers hold on the map${VERDICTS[p.verdict]}`;
    const kinds = Object.keys(VERDICTS).map((kind, at) => {
      const those = y.filter((k) => shown[k].verdict === kind);
      const colour = at === 0 ? data.colours.palette[0] : FAR;
      const of = (key) => those.map((k) => 100 * shown[k][key]);
      const [x, low, high] = [of('lapse'), of('low'), of('high')];
      return {
        type: 'scatter', mode: 'markers', x, y: those, hoverinfo: 'text', hovertext: those.map((k) => text(shown[k])), cliponaxis: false,
        marker: { size: 8, color: colour, symbol: ['circle', 'diamond', 'x'][at] },
        error_x: { type: 'data', symmetric: false, array: high.map((v, k) => Math.max(0, v - x[k])), arrayminus: low.map((v, k) => Math.max(0, x[k] - v)), color: colour, thickness: 1.4, width: 3 },
      };
    });
    const some = worst.length > PEOPLE ? ` The ${PEOPLE} with the most of ${worst.length}.` : '';
    const lost = worst.filter((p) => p.verdict !== 'usable').length;
    return { data: kinds, layout, note: `${lost === 0 ? 'The answers of all' : `The answers of ${lost} of`} ${worst.length} ${lost === 0 ? 'can be used' : 'cannot be used as they are'}.${some}` };
  },

  radii(look) {
    const own = data.report.judgements.per_object.filter((o) => typeof o.radius === 'number').sort((a, b) => b.radius - a.radius).slice(0, BARS).reverse();
    const y = own.map((_, k) => k);
    const layout = chartLayout(look, { title: 'radius', marks: marks([0, ...own.map((o) => o.radius)], 5) }, { title: '', marks: y, texts: own.map((o) => plain(cut(o.label, 22))) });
    layout.yaxis.range = [-0.6, own.length - 0.4];
    layout.yaxis.ticks = '';
    layout.bargap = 0.35;
    layout.margin.l = 20;
    const trace = { type: 'bar', orientation: 'h', y, x: own.map((o) => o.radius), hoverinfo: 'text', hovertext: own.map((o) => `${plain(cut(o.label, 60))}: ${show(o.radius)}`), marker: { color: data.colours.palette[0] } };
    const all = data.report.judgements.per_object.filter((o) => typeof o.radius === 'number').length;
    return { data: [trace], layout, note: own.length < all ? `The ${own.length} largest of ${all}; \`nearer eval --per-object\` has them all.` : '' };
  },
};

/** What was held out in each number of dimensions, with standard errors, beside what was fitted; the fewest that will do is marked. */
function againstDimensions(look, key, fitted, title, times) {
  const points = data.report.judgements.by_dimension.filter((p) => p[key] || fitted);
  const x = points.map((p) => p.dim);
  const held = points.filter((p) => p[key]);
  const [y, error] = [held.map((p) => times * p[key].mean), held.map((p) => times * (p[key].standard_error ?? 0))];
  const train = fitted ? points.map((p) => times * p[fitted]) : [];
  const ends = [...y.map((v, k) => v - error[k]), ...y.map((v, k) => v + error[k]), ...train];
  const layout = chartLayout(look, { title: 'dimensions', marks: x }, { title, marks: marks(ends, 5) });
  layout.xaxis.range = [Math.min(...x) - 0.3, Math.max(...x) + 0.3];
  const upright = (at, dash) => ({ type: 'line', x0: at, x1: at, y0: 0, y1: 1, yref: 'paper', line: { color: look.quiet, width: 1, dash }, layer: 'below' });
  const fewest = data.fewest;
  layout.shapes = [upright(dim, '3px,3px'), ...(fewest ? [upright(fewest, 'solid')] : [])];
  layout.showlegend = held.length > 0 && train.length > 0;
  layout.legend = { orientation: 'h', x: 0, y: 1.12, bgcolor: 'rgba(0,0,0,0)', font: { size: 11.5, color: look.ink } };
  layout.margin.t = 34;
  const line = (titled, at, values, colour, dash, symbol, bars) => ({
    type: 'scatter', mode: 'lines+markers', name: titled, x: at, y: values, hoverinfo: 'text', cliponaxis: false, line: { color: colour, width: 2, dash }, marker: { size: 8, color: colour, symbol },
    hovertext: at.map((d, k) => `${d} ${d === 1 ? 'dimension' : 'dimensions'}: ${values[k].toFixed(times === 1 ? 4 : 1)}${bars ? ` ± ${bars[k].toFixed(times === 1 ? 4 : 1)}` : ''} ${titled}`),
    error_y: bars ? { type: 'data', array: bars, color: colour, thickness: 1.4, width: 4 } : undefined,
  });
  const traces = held.length ? [line('held out', held.map((p) => p.dim), y, FAR, 'solid', 'diamond', error)] : [];
  if (train.length) traces.push(line('fitted to', x, train, data.colours.palette[0], '4px,3px', 'circle'));
  const note = fewest ? `The line: ${fewest} is the fewest within one standard error of the best. The dashes: the map's ${dim}.` : `The dashes: the map's ${dim}.`;
  return { data: traces, layout, note };
}

/** The objects that a judgement is about. */
function rowObjects(k) {
  return [judged.near[0][k], judged.near[1][k], judged.far[0][k], judged.far[1][k]].filter((o) => o !== NONE);
}

/** A judgement as a sentence. */
function sentence(k) {
  const of = (o) => `“${cut(name(o), 60)}”`;
  const [a, b, c, d] = [judged.near[0][k], judged.near[1][k], judged.far[0][k], judged.far[1][k]];
  if (c === NONE) return `${of(a)} is like ${of(b)}`;
  if (a === NONE) return `${of(c)} is not like ${of(d)}`;
  const head = [a, b].find((o) => o === c || o === d);
  if (head === undefined) return `${of(a)} and ${of(b)} are nearer than ${of(c)} and ${of(d)}`;
  return `${of(head)} is nearer to ${of(a === head ? b : a)} than to ${of(c === head ? d : c)}`;
}

/** The lines that show a judgement on the map. */
function rowLines(k) {
  const near = judged.near[0][k] === NONE ? [] : [{ a: judged.near[0][k], b: judged.near[1][k], kind: 'near' }];
  const far = judged.far[0][k] === NONE ? [] : [{ a: judged.far[0][k], b: judged.far[1][k], kind: 'far' }];
  return [...near, ...far];
}

/** One of several maps: an object is as opaque as its share of it. */
function oneMap(look, m) {
  const { maps, shares } = data.report.fit.maps;
  const share = (k) => shares[k][m];
  const faint = 0.02; // less is not drawn at all
  const shown = Array.from(labels.keys()).filter((k) => share(k) >= faint).sort((a, b) => share(a) - share(b));
  const [x, y] = [0, 1].map((c) => shown.map((k) => maps[m][k][c] ?? 0));
  const layout = chartLayout(look, { title: '', marks: marks(x, 5) }, { title: '', marks: marks(y, 5) });
  layout.yaxis.scaleanchor = 'x';
  for (const [axis, values] of [[layout.xaxis, x], [layout.yaxis, y]]) {
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const room = 0.12 * (high - low || 1);
    Object.assign(axis, { range: [low - room, high + room], showticklabels: false, ticks: '' });
  }
  const part = (k) => parseInt(look.ink.slice(1 + 2 * k, 3 + 2 * k), 16);
  const ink = (a) => (/^#[0-9a-f]{6}$/i.test(look.ink) ? `rgba(${part(0)},${part(1)},${part(2)},${a.toFixed(3)})` : look.ink);
  const few = shown.length <= 150;
  const trace = {
    type: 'scatter', mode: few ? 'markers+text' : 'markers', x, y, customdata: shown, hoverinfo: 'text', cliponaxis: false,
    hovertext: shown.map((k) => `${plain(cut(name(k), 60))}<br>${shares[k].map((s, i) => `map ${i + 1}: ${(100 * s).toFixed(0)} %`).join('<br>')}`),
    text: shown.map((k) => plain(cut(name(k), 24))), textposition: 'top center', textfont: { size: 11, color: shown.map((k) => ink(share(k))) },
    marker: { size: few ? 9 : 6, color: shown.map((k) => (k === state.focus ? FAR : data.colours.palette[0])), opacity: shown.map(share) },
  };
  const hidden = count - shown.length;
  return { data: [trace], layout, note: hidden ? `${hidden} with less than ${100 * faint} % are left out.` : '' };
}

for (const m of (data.report.fit?.maps?.maps ?? []).keys()) charts[`map-${m + 1}`] = (look) => oneMap(look, m);

/** Draws the diagrams that the page has. */
function drawCharts(only) {
  for (const id of only ?? Object.keys(charts)) {
    const place = byId(id);
    if (!place) continue;
    const fresh = !place.data;
    const { data: traces, layout, note } = charts[id](theme(false));
    Plotly.react(place, traces, layout, QUIET_CONFIG);
    byId(`${id}-says`).querySelector('.note').textContent = note;
    if (fresh) place.on('plotly_click', (e) => clicked(id, e.points[0]));
  }
}

function clicked(id, point) {
  if (id === 'shepard' && point.curveNumber === 0) {
    const k = drawnPairs[point.pointNumber];
    light([{ a: pairs.a[k], b: pairs.b[k], kind: 'pair' }]);
  } else if (id === 'verdicts') {
    light(rowLines(drawnRows[point.curveNumber][point.pointNumber]));
  } else if (id === 'objects') {
    focusOn(drawnObjects[point.pointNumber]);
  } else if (id.startsWith('map-')) {
    focusOn(point.customdata);
  }
}
