// The map: points by group, highlights, the frame and its scale bar.

const map = byId('map');
/** For each trace the objects it draws, in its order. */
let traceItems = [];
const MANY = 2000; // beyond this WebGL draws the points, where there is any
const webgl = (() => {
  try {
    return document.createElement('canvas').getContext('webgl') !== null;
  } catch {
    return false;
  }
})();
const SOLID = { 'triangle-up': 'square-open', 'triangle-down': 'diamond-open', star: 'circle-open' };

/** From which side the camera looks at first. */
const SIDE = [0.64, 0.64, 0.42];
const HALF_VIEW = Math.sin(Math.PI / 8); // the library's camera sees 45 degrees upwards

/** Where the camera stands at first: so far away that every point is seen, with room for the labels of the outermost. */
function eye() {
  const ranges = state.axes.map((a) => span(axes[a]));
  const wide = ranges.map(([low, high]) => high - low || 1);
  const unit = Math.cbrt(wide[0] * wide[1] * wide[2]); // the library's scene has the volume of a cube of this side
  let far = 0;
  for (let k = 0; k < count; k++) {
    far = Math.max(far, Math.hypot(...state.axes.map((a, i) => (axes[a][k] - (ranges[i][0] + ranges[i][1]) / 2) / unit)));
  }
  const narrow = Math.min(1, (map.clientWidth || 1) / (map.clientHeight || 1));
  const away = Math.max(1.2, (1.12 * far) / HALF_VIEW / narrow);
  return { x: SIDE[0] * away, y: SIDE[1] * away, z: SIDE[2] * away };
}

/** The least and the largest of some values. */
function span(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const v of values) {
    if (v < low) low = v;
    if (v > high) high = v;
  }
  return [low, high];
}

const markerSize = () => [[60, 10], [200, 8.5], [1000, 7], [5000, 5.5], [20000, 4]].find(([most]) => count <= most)?.[1] ?? 3;
const markerOpacity = () => (count <= 300 ? 1 : count <= 5000 ? 0.8 : count <= 20000 ? 0.65 : 0.5);

/** The group of an object in a column; -1 where it has none. */
const groupOf = (column, k) => (column.of[k] === NONE ? -1 : column.of[k]);

/** How an object looks: colour, symbol, whether it is hollow; and the keys that the legend hides it by. */
function lookOf(k) {
  const look = { colour: data.colours.plain, symbol: 'circle', hollow: false, keys: [] };
  const [colour, shape] = [columns[state.colour], columns[state.shape]];
  const same = colour && colour === shape && colour.kind === 'groups';
  if (colour?.kind === 'groups') {
    const g = groupOf(colour, k);
    look.keys.push(`colour ${g}`);
    if (g < 0) [look.colour, look.hollow] = [data.colours.missing, true];
    else if (same) [look.colour, look.symbol] = [colour.groups[g].both.colour, colour.groups[g].both.shape];
    else if (shape) look.colour = colour.groups[g].beside;
    else [look.colour, look.symbol] = [colour.groups[g].alone.colour, colour.groups[g].alone.shape];
  } else if (colour) {
    const v = colour.values[k];
    look.keys.push(v === null ? 'colour -1' : 'colour ramp');
    if (v === null) [look.colour, look.hollow] = [data.colours.missing, true];
    else look.colour = rampColour(colour, v);
  }
  if (shape && !same) {
    const g = shapeGroup(shape, k);
    look.keys.push(`shape ${g}`);
    if (g < 0) look.hollow = true;
    else look.symbol = shape.groups ? shape.groups[g].shape : SYMBOLS[g];
  }
  look.colour = tint(look.colour);
  return look;
}

const SYMBOLS = ['circle', 'square', 'triangle-up', 'diamond', 'triangle-down', 'cross', 'x', 'star'];

/** Numbers have shapes too: eight steps from low to high. */
function shapeGroup(shape, k) {
  if (shape.kind === 'groups') return groupOf(shape, k);
  const v = shape.values[k];
  return v === null ? -1 : Math.min(7, Math.floor(8 * share(v, shape.low, shape.high)));
}

const share = (v, low, high) => (high > low ? (v / 2 - low / 2) / (high / 2 - low / 2) : 0.5);

function rampColour(column, v) {
  const ramp = data.colours.ramp;
  return ramp[Math.round(share(v, column.low, column.high) * (ramp.length - 1))];
}

/** The size of each object's marker, where a column says it. */
function sizes() {
  const column = columns[state.size];
  const size = markerSize();
  if (!column) return () => size;
  const numbers = numbersOf(column);
  let [least, most] = [Infinity, -Infinity];
  for (const v of numbers) if (v !== null) [least, most] = [Math.min(least, v), Math.max(most, v)];
  return (k) => (numbers[k] === null ? 0.6 * size : size * Math.sqrt(0.35 + 3.4 * share(numbers[k], least, most)));
}

/** A column as numbers: as it is, as its groups read as numbers, or as the order of its groups. */
function numbersOf(column) {
  if (column.kind === 'ramp') return column.values;
  const read = column.groups.map((g) => Number(g.name));
  const use = read.every(Number.isFinite) ? read : column.groups.map((_, g) => g);
  return Array.from({ length: count }, (_, k) => (groupOf(column, k) < 0 ? null : use[groupOf(column, k)]));
}

/** Whether the legend and its range let an object be seen. */
function visible(k, look) {
  if (look.keys.some((key) => state.hidden.has(key))) return false;
  const colour = columns[state.colour];
  if (state.range && colour?.kind === 'ramp' && colour.values[k] !== null) {
    return colour.values[k] >= state.range[0] && colour.values[k] <= state.range[1];
  }
  return true;
}

/** The points as traces, one for each look (one for all shades of a ramp), and for each trace its objects. */
function pointTraces(look, three) {
  const buckets = new Map();
  const ramp = columns[state.colour]?.kind === 'ramp';
  const byColumn = state.colour >= 0 || state.shape >= 0;
  const size = sizes();
  if (!byColumn) {
    buckets.set('', { look: lookOf(0), items: Array.from({ length: count }, (_, k) => k), colours: null });
  } else {
    for (let k = 0; k < count; k++) {
      const of = lookOf(k);
      if (!visible(k, of)) continue;
      const key = `${ramp && !of.hollow ? 'ramp' : of.colour} ${of.symbol} ${of.hollow}`;
      let bucket = buckets.get(key);
      if (!bucket) buckets.set(key, (bucket = { look: of, items: [], colours: ramp && !of.hollow ? [] : null }));
      bucket.items.push(k);
      if (bucket.colours) bucket.colours.push(of.colour);
    }
  }
  const list = [...buckets.values()];
  const traces = list.map(({ look: of, items, colours }) => {
    const pick = (axis) => (items.length === count ? axis : Float64Array.from(items, (k) => axis[k]));
    const symbol = three ? (SOLID[of.symbol] ?? of.symbol) : of.symbol;
    const fill = colours ?? of.colour;
    const marker = {
      color: fill,
      symbol: of.hollow ? `${symbol.replace('-open', '')}-open` : symbol,
      size: state.size >= 0 ? items.map(size) : size(0),
      opacity: markerOpacity(),
      line: { width: of.hollow ? 1.4 : count > MANY ? 0 : 1, color: of.hollow ? of.colour : colours ? colours.map((c) => outline(c, look)) : outline(of.colour, look) },
    };
    const trace = { mode: 'markers', hoverinfo: 'none', showlegend: false, marker };
    const [x, y, z] = state.axes.map((a) => axes[a]);
    trace.x = pick(x);
    if (three) {
      Object.assign(trace, { type: 'scatter3d', y: pick(y), z: pick(z) });
      marker.size = Array.isArray(marker.size) ? marker.size.map((s) => 0.5 * s) : 0.5 * marker.size;
    } else {
      trace.type = count > MANY && webgl ? 'scattergl' : 'scatter';
      trace.y = dim === 1 ? new Float64Array(items.length) : pick(y);
      trace.cliponaxis = false;
      trace.selected = { marker: { opacity: 1 } };
      trace.unselected = { marker: { opacity: 0.15 } };
      if (state.selected) trace.selectedpoints = items.flatMap((k, at) => (state.selected.has(k) ? [at] : []));
      else trace.selectedpoints = null;
    }
    return trace;
  });
  return { traces, items: list.map((b) => b.items) };
}

/** Whether the ellipses lie in the plane that is drawn: as it is, turned, or not at all. */
function ellipsePlane() {
  if (!data.ellipses || !state.ellipses || state.three) return null;
  const [x, y] = [state.axes[0], state.axes[1]];
  if (data.ellipses.axes[0] === x && data.ellipses.axes[1] === y) return 'as it is';
  return data.ellipses.axes[0] === y && data.ellipses.axes[1] === x ? 'turned' : null;
}

/** Ellipses in the plane that is drawn, coloured like their points, and lighter on dark paper; none in another plane. */
function ellipseTraces(look) {
  const plane = ellipsePlane();
  if (plane === null) return [];
  const turned = plane === 'turned';
  const byColour = new Map();
  for (const [k, [cx, cy, a, b, angle]] of data.ellipses.rows) {
    const of = lookOf(k);
    if (!visible(k, of) || (state.selected && !state.selected.has(k))) continue;
    const colour = look.dark ? outline(of.colour, look) : of.colour;
    if (!byColour.has(colour)) byColour.set(colour, { x: [], y: [] });
    const path = byColour.get(colour);
    for (let step = 0; step <= 48; step++) {
      const t = (2 * Math.PI * step) / 48;
      const u = cx + a * Math.cos(t) * Math.cos(angle) - b * Math.sin(t) * Math.sin(angle);
      const v = cy + a * Math.cos(t) * Math.sin(angle) + b * Math.sin(t) * Math.cos(angle);
      path.x.push(turned ? v : u);
      path.y.push(turned ? u : v);
    }
    path.x.push(null);
    path.y.push(null);
  }
  return [...byColour].map(([colour, path]) => ({
    type: 'scatter', mode: 'lines', x: path.x, y: path.y, hoverinfo: 'skip', showlegend: false,
    line: { color: colour, width: look.dark ? 1.3 : 1 }, fill: 'toself', fillcolor: `${colour}${look.dark ? '26' : '1c'}`, opacity: 0.9,
  }));
}

/** Where objects drift to, where the data are not symmetric: a line with a head at each, the longest an eighth of the map. */
function driftTraces(look) {
  const drift = data.report.fit?.drift;
  if (!drift || state.three || dim === 1) return [];
  const [a, b] = state.axes;
  const longest = Math.max(...drift.map((d) => Math.hypot(d[a], d[b])));
  if (!(longest > 0)) return [];
  const wide = Math.max(...[a, b].map((k) => span(axes[k])[1] - span(axes[k])[0]));
  const times = wide / 8 / longest;
  const path = { x: [], y: [] };
  drift.forEach((d, k) => {
    if (!visible(k, lookOf(k))) return;
    const [x, y] = [axes[a][k], axes[b][k]];
    const [u, v] = [times * d[a], times * d[b]];
    const side = (turn) => [x + u - 0.22 * (u * Math.cos(turn) - v * Math.sin(turn)), y + v - 0.22 * (u * Math.sin(turn) + v * Math.cos(turn))];
    for (const [px, py] of [[x, y], [x + u, y + v], side(0.45), [x + u, y + v], side(-0.45)]) { path.x.push(px); path.y.push(py); }
    path.x.push(null);
    path.y.push(null);
  });
  return [{ type: 'scatter', mode: 'lines', x: path.x, y: path.y, hoverinfo: 'skip', showlegend: false, line: { color: look.dark ? '#c9c9c9' : '#555555', width: 1.2 } }];
}

/** Highlights in three dimensions, where shapes cannot be drawn. */
function highlightTraces(look) {
  const at = (k) => state.axes.map((a) => axes[a][k]);
  const lines = state.lines.map(({ a, b, kind }) => {
    const [p, q] = [at(a), at(b)];
    return {
      type: 'scatter3d', mode: 'lines', x: [p[0], q[0]], y: [p[1], q[1]], z: [p[2], q[2]], hoverinfo: 'skip',
      showlegend: false, line: { color: lineColour(kind), width: 5, dash: kind === 'far' ? 'dash' : 'solid' },
    };
  });
  const ringed = ringedObjects();
  if (ringed.length === 0) return lines;
  const [x, y, z] = [0, 1, 2].map((i) => ringed.map((k) => at(k)[i]));
  const marker = { symbol: 'circle-open', size: 11, color: look.ink, line: { width: 2, color: look.ink } };
  return [...lines, { type: 'scatter3d', mode: 'markers', x, y, z, hoverinfo: 'skip', showlegend: false, marker }];
}

const lineColour = (kind) => (kind === 'near' ? NEAR : FAR);

/** The objects that wear a ring: the one in focus, the ends of highlighted pairs, what was found. */
function ringedObjects() {
  const all = new Set(state.lines.flatMap((l) => [l.a, l.b]));
  if (state.focus >= 0) all.add(state.focus);
  state.found.slice(0, 200).forEach((k) => all.add(k));
  if (keyed >= 0) all.add(keyed);
  return [...all];
}

function mapLayout(look, three) {
  const title = (a, i) => plain(cut(state.titles[i] ?? '', 60)) || (dim > 2 || a > 1 ? `axis ${a + 1}` : '');
  const base = {
    paper_bgcolor: 'rgba(0,0,0,0)', plot_bgcolor: 'rgba(0,0,0,0)', hovermode: 'closest', showlegend: false,
    font: { family: FONT, size: 12, color: look.ink },
    hoverdistance: 18,
  };
  if (three) {
    const axis = (a) => ({
      title: { text: `axis ${a + 1}`, font: { size: 12, color: look.quiet } }, showticklabels: false, ticks: '',
      gridcolor: look.frame, zerolinecolor: look.frame, showspikes: false, backgroundcolor: 'rgba(0,0,0,0)',
    });
    const [x, y, z] = state.axes.map(axis);
    return {
      ...base, margin: { l: 0, r: 0, t: 0, b: 0 },
      scene: { xaxis: x, yaxis: y, zaxis: z, aspectmode: 'data', dragmode: 'orbit', annotations: [], camera: { eye: eye() } },
    };
  }
  const frame = { showgrid: false, zeroline: false, showticklabels: false, ticks: '', showline: true, mirror: true, linecolor: look.frame, linewidth: 1 };
  const [x, y] = extents();
  const named = [0, 1].map((i) => title(state.axes[i], i) !== '');
  const text = (i) => ({ text: title(state.axes[i], i), font: { size: 12, color: look.quiet }, standoff: 4 });
  return {
    ...base, dragmode: state.mode, margin: { l: named[1] && dim > 1 ? 26 : 6, r: 6, t: 6, b: named[0] ? 46 : 28 },
    xaxis: { ...frame, range: x, title: named[0] ? text(0) : undefined },
    yaxis: dim === 1
      ? { ...frame, range: [-1, 1], fixedrange: true, zeroline: true, zerolinecolor: look.frame }
      : { ...frame, range: y, scaleanchor: 'x', scaleratio: 1, title: named[1] ? text(1) : undefined },
    annotations: [], shapes: [],
  };
}

/** What is shown of both axes at first: everything, ellipses too, with some room around it. */
function extents() {
  const [x, y] = [span(axes[state.axes[0]]), dim === 1 ? [0, 0] : span(axes[state.axes[1]])];
  const wide = Math.max(x[1] - x[0], y[1] - y[0]);
  const plane = ellipsePlane();
  if (plane !== null) {
    // One object that could be anywhere must not shrink the map of all others to a dot.
    const most = wide > 0 ? MOST_ROOM * wide : Infinity;
    const bounds = [x, y].map(([low, high]) => [low - most, high + most]);
    for (const [, [cx, cy, a, b, angle]] of data.ellipses.rows) {
      const reach = [Math.hypot(a * Math.cos(angle), b * Math.sin(angle)), Math.hypot(a * Math.sin(angle), b * Math.cos(angle))];
      const at = plane === 'turned' ? [[cy, reach[1]], [cx, reach[0]]] : [[cx, reach[0]], [cy, reach[1]]];
      [x, y].forEach((range, i) => {
        range[0] = Math.min(range[0], Math.max(bounds[i][0], at[i][0] - at[i][1]));
        range[1] = Math.max(range[1], Math.min(bounds[i][1], at[i][0] + at[i][1]));
      });
    }
  }
  const most = wide > 0 ? MOST_ROOM * wide : Infinity;
  const bounds = [x, y].map(([low, high]) => [low - most, high + most]);
  for (const p of layerReach()) {
    [x, y].forEach((range, i) => {
      range[0] = Math.min(range[0], Math.max(bounds[i][0], p[i]));
      range[1] = Math.max(range[1], Math.min(bounds[i][1], p[i]));
    });
  }
  const pad = 0.06 * wide || 1;
  return [[x[0] - pad, x[1] + pad], [y[0] - pad, y[1] + pad]];
}

/** How far an ellipse may push the frame out, as a share of the extent of the points. */
const MOST_ROOM = 0.6;

const CONFIG = { displayModeBar: false, displaylogo: false, responsive: true, scrollZoom: true, doubleClick: false, showTips: false, plotlyServerURL: '' };

/** The map as a figure: data and layout. */
function mapFigure(saving) {
  const look = theme(saving);
  const { traces, items } = pointTraces(look, state.three);
  const under = [...layerTraces(look), ...linkTraces(look), ...ellipseTraces(look), ...driftTraces(look)];
  const all = [...under, ...traces, ...(state.three ? highlightTraces(look) : [])];
  return { data: all, layout: mapLayout(look, state.three), items: [...under.map(() => []), ...items] };
}

/** Draws the map anew after anything was chosen. */
async function drawMap() {
  const figure = mapFigure(false);
  traceItems = figure.items;
  if (map.data && !!map.layout.scene !== state.three) Plotly.purge(map);
  const fresh = !map.data;
  if (!fresh) keepView(figure.layout);
  shownAxes = String(state.axes);
  await Plotly.react(map, figure.data, figure.layout, CONFIG);
  if (fresh) listen();
  decorate();
  describe();
}

/** The axes that were drawn last. */
let shownAxes = '';

/** The part of the map that is shown stays, as long as its axes do; so does the outline of a selection. */
function keepView(layout) {
  const now = map._fullLayout;
  // The library remembers outlines that were drawn by hand as edits, and warns that it does not know what they are.
  for (const key of Object.keys(now._preGUI ?? {})) if (key.startsWith('selections')) delete now._preGUI[key];
  if (shownAxes !== String(state.axes)) return;
  if (state.three) {
    layout.scene.camera = now.scene.camera;
    return;
  }
  layout.xaxis.range = [...now.xaxis.range];
  layout.yaxis.range = [...now.yaxis.range];
  layout.selections = state.selected ? (map.layout.selections ?? []) : [];
}

/** The object under an event of the drawing library. */
const itemOf = (point) => traceItems[point.curveNumber]?.[point.pointNumber] ?? -1;

function listen() {
  map.on('plotly_hover', (e) => {
    const k = itemOf(e.points[0]);
    if (k >= 0) showCard(k, pointer);
  });
  map.on('plotly_unhover', hideCard);
  map.on('plotly_click', (e) => {
    const k = itemOf(e.points[0]);
    if (k >= 0) focusOn(k);
  });
  map.on('plotly_selected', (e) => {
    if (e) selectedOnMap(e.points.map(itemOf).filter((k) => k >= 0));
  });
  map.on('plotly_relayout', (change) => {
    if (!('annotations' in change) && !('scene.annotations' in change)) decorate();
  });
}

function zoom(factor) {
  if (state.three) {
    const eye = map._fullLayout.scene.camera.eye;
    return Plotly.relayout(map, { 'scene.camera.eye': { x: eye.x * factor, y: eye.y * factor, z: eye.z * factor } });
  }
  const around = (range) => {
    const [middle, half] = [(range[0] + range[1]) / 2, ((range[1] - range[0]) / 2) * factor];
    return [middle - half, middle + half];
  };
  const change = { 'xaxis.range': around(map._fullLayout.xaxis.range) };
  if (dim > 1) change['yaxis.range'] = around(map._fullLayout.yaxis.range);
  return Plotly.relayout(map, change);
}

function wholeMap() {
  if (state.three) return Plotly.relayout(map, { 'scene.camera': { eye: eye(), center: { x: 0, y: 0, z: 0 }, up: { x: 0, y: 0, z: 1 } } });
  const [x, y] = extents();
  return Plotly.relayout(map, dim > 1 ? { 'xaxis.range': x, 'yaxis.range': y } : { 'xaxis.range': x });
}

/** What a screen reader hears of the map. */
function describe() {
  const on = state.three ? `axes ${state.axes.map((a) => a + 1).join(', ')}` : dim === 1 ? 'one axis' : `axes ${state.axes[0] + 1} and ${state.axes[1] + 1}`;
  const shown = traceItems.reduce((sum, items) => sum + items.length, 0);
  const some = shown < count ? `, ${shown} of them shown` : '';
  map.setAttribute('aria-label', `Map of ${count} objects on ${on}${some}${data.corner ? `; ${data.corner}` : ''}`);
}
