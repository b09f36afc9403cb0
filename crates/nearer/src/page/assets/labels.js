// What lies over the points: labels where there is room, rings, highlighted pairs, the scale bar.

/** The object that the arrow keys have reached. */
let keyed = -1;
const MOST_LABELLED = 1500; // with more points in view there is no room for any
const LABEL_SIZE = 12;
const brush = document.createElement('canvas').getContext('2d');
const widths = new Map();

function textWidth(text) {
  if (!widths.has(text)) {
    brush.font = `${LABEL_SIZE}px ${FONT}`;
    widths.set(text, brush.measureText(text).width);
  }
  return widths.get(text);
}

/** Puts labels, rings, lines and the scale bar on the map as it is shown now; none of it is calculated anew when one pans. */
function decorate() {
  if (!map._fullLayout) return;
  const look = theme(false);
  if (state.three) {
    Plotly.relayout(map, { 'scene.annotations': spaceLabels(look) });
    return;
  }
  Plotly.relayout(map, overlay(look));
}

/** Annotations and shapes for the view of the map on the screen. */
function overlay(look) {
  const { xaxis, yaxis, _size: size } = map._fullLayout;
  const view = {
    x: xaxis.range, y: yaxis.range, width: size.w, height: size.h,
    px: (k) => ((axes[state.axes[0]][k] - xaxis.range[0]) / (xaxis.range[1] - xaxis.range[0])) * size.w,
    py: (k) => (1 - ((dim === 1 ? 0 : axes[state.axes[1]][k]) - yaxis.range[0]) / (yaxis.range[1] - yaxis.range[0])) * size.h,
  };
  const annotations = [...(state.labels ? flatLabels(view, look) : []), ...wordAnnotations(look)];
  const shapes = highlights(look);
  const unit = (view.x[1] - view.x[0]) / view.width;
  const length = roundDown(unit * 0.22 * view.width);
  const below = (px) => -px / view.height;
  const small = { size: 11.5, color: look.quiet };
  if (length !== null) {
    const right = length / unit / view.width;
    const path = `M0,${below(9)}L0,${below(17)}M0,${below(13)}L${right},${below(13)}M${right},${below(9)}L${right},${below(17)}`;
    shapes.push({ type: 'path', path, xref: 'paper', yref: 'paper', line: { color: look.quiet, width: 1.2 } });
    annotations.push({ name: 'scale', text: show(length), x: right, y: 0, xref: 'paper', yref: 'paper', xanchor: 'left', yanchor: 'middle', xshift: 6, yshift: -13, showarrow: false, font: small });
  }
  if (data.corner) {
    annotations.push({ name: 'corner', text: plain(data.corner), x: 1, y: 0, xref: 'paper', yref: 'paper', xanchor: 'right', yanchor: 'middle', yshift: -13, showarrow: false, font: small });
  }
  return { annotations, shapes };
}

const ringRadius = () => markerSize() / 2 + 5;

/** Rings around objects and lines between the ends of pairs. */
function highlights(look) {
  const at = (k) => [axes[state.axes[0]][k], dim === 1 ? 0 : axes[state.axes[1]][k]];
  const lines = state.lines.map(({ a, b, kind }) => {
    const [p, q] = [at(a), at(b)];
    return { name: 'pair', type: 'line', x0: p[0], y0: p[1], x1: q[0], y1: q[1], line: { color: lineColour(kind), width: 2.4, dash: kind === 'far' ? '5px,4px' : 'solid' } };
  });
  const r = ringRadius();
  const rings = ringedObjects().map((k) => {
    const [x, y] = at(k);
    return { name: 'ring', type: 'circle', xsizemode: 'pixel', ysizemode: 'pixel', xanchor: x, yanchor: y, x0: -r, x1: r, y0: -r, y1: r, line: { color: look.ink, width: 1.8 } };
  });
  return [...lines, ...rings];
}

/** The objects that are drawn, those with a ring first. */
function drawnOrder() {
  const first = ringedObjects();
  const seen = new Set(first);
  const rest = [];
  for (const items of traceItems) {
    for (const k of items) if (!seen.has(k)) rest.push(k);
  }
  if (traceItems.filter((items) => items.length).length > 1) rest.sort((a, b) => a - b);
  return [...first, ...rest];
}

/** Whether an object may have a label: it has one, and the selection has not put it in the background. */
const mayBeNamed = (k) => labels[k] !== '' && (!state.selected || state.selected.has(k) || k === state.focus || state.lines.some((l) => l.a === k || l.b === k));

/** Labels that touch neither a point nor each other, in the eight places around their points. */
function flatLabels(view, look) {
  const inside = [];
  for (const k of drawnOrder()) {
    const [x, y] = [view.px(k), view.py(k)];
    if (x >= 0 && x <= view.width && y >= 0 && y <= view.height) inside.push([k, x, y]);
    if (inside.length > MOST_LABELLED) break;
  }
  const crowded = inside.length > MOST_LABELLED;
  const wanted = (crowded ? inside.slice(0, ringedObjects().length) : inside).filter(([k]) => mayBeNamed(k));
  const grid = new Grid(view.width, view.height);
  const r = markerSize() / 2 + 1;
  if (!crowded) for (const [, x, y] of inside) grid.add([x - r, y - r, x + r, y + r]);
  // Names of groups and arrows have their places already.
  for (const w of layerWords(look)) {
    const at = [((w.at[0] - view.x[0]) / (view.x[1] - view.x[0])) * view.width + w.shift[0], (1 - (w.at[1] - view.y[0]) / (view.y[1] - view.y[0])) * view.height - w.shift[1]];
    const half = [textWidth(w.text) * 0.58 + 2, (LABEL_SIZE + 4) / 2];
    grid.add([at[0] - half[0], at[1] - half[1], at[0] + half[0], at[1] + half[1]]);
  }
  const ringed = new Set(ringedObjects());
  const annotations = [];
  for (const [k, x, y] of wanted) {
    const text = cut(labels[k].replace(/\s+/g, ' '), 32);
    const [w, h, gap] = [textWidth(text) + 2, LABEL_SIZE + 3, (ringed.has(k) ? ringRadius() : r) + 3];
    const places = [[gap, -h / 2, 'left', 'middle'], [-gap - w, -h / 2, 'right', 'middle'], [-w / 2, -gap - h, 'center', 'bottom'], [-w / 2, gap, 'center', 'top'],
      [gap - 2, -gap - h + 4, 'left', 'bottom'], [-gap + 2 - w, -gap - h + 4, 'right', 'bottom'], [gap - 2, gap - 4, 'left', 'top'], [-gap + 2 - w, gap - 4, 'right', 'top']];
    for (const [dx, dy, xanchor, yanchor] of places) {
      const box = [x + dx, y + dy, x + dx + w, y + dy + h];
      if (box[0] < 1 || box[1] < 1 || box[2] > view.width - 1 || box[3] > view.height - 1 || !grid.free(box, [x, y, r])) continue;
      grid.add(box);
      const shift = { left: dx, right: dx + w, center: 0 }[xanchor];
      const lift = { middle: 0, bottom: -(dy + h), top: -dy }[yanchor];
      annotations.push({
        name: 'label', text: plain(text), x: axes[state.axes[0]][k], y: dim === 1 ? 0 : axes[state.axes[1]][k], xanchor, yanchor, xshift: shift, yshift: lift,
        showarrow: false, borderpad: 0, font: { size: LABEL_SIZE, color: look.ink }, captureevents: false,
      });
      break;
    }
    if (annotations.length >= 300) break;
  }
  return annotations;
}

/** Boxes on the screen by cell, to ask quickly what is free. */
class Grid {
  constructor(width, height) {
    this.cell = 24;
    this.across = Math.ceil(width / this.cell) + 2;
    this.down = Math.ceil(height / this.cell) + 2;
    this.cells = new Map();
  }
  *of([left, top, right, bottom]) {
    const index = (v, most) => Math.min(most - 1, Math.max(0, Math.floor(v / this.cell) + 1));
    for (let i = index(left, this.across); i <= index(right, this.across); i++) {
      for (let j = index(top, this.down); j <= index(bottom, this.down); j++) yield i * this.down + j;
    }
  }
  add(box) {
    for (const cell of this.of(box)) {
      if (!this.cells.has(cell)) this.cells.set(cell, []);
      this.cells.get(cell).push(box);
    }
  }
  /** Whether a box meets no other but the marker it belongs to. */
  free(box, [x, y, r]) {
    for (const cell of this.of(box)) {
      for (const b of this.cells.get(cell) ?? []) {
        const own = b[0] === x - r && b[1] === y - r && b[2] === x + r && b[3] === y + r;
        if (!own && b[0] < box[2] && box[0] < b[2] && b[1] < box[3] && box[1] < b[3]) return false;
      }
    }
    return true;
  }
}

/** Labels in space: where the camera sees room for them. */
function spaceLabels(look) {
  const scene = map._fullLayout.scene?._scene;
  const camera = scene?.glplot?.cameraParams;
  if (!state.labels || !camera || !camera.model) return [];
  const [width, height] = [map.clientWidth, map.clientHeight];
  const scale = scene.dataScale ?? [1, 1, 1];
  const times = (m, v) => [0, 1, 2, 3].map((i) => m[i] * v[0] + m[4 + i] * v[1] + m[8 + i] * v[2] + m[12 + i] * v[3]);
  const grid = new Grid(width, height);
  const shown = [];
  for (const k of drawnOrder().slice(0, MOST_LABELLED)) {
    const at = [...state.axes.map((a, i) => axes[a][k] * scale[i]), 1];
    const p = times(camera.projection, times(camera.view, times(camera.model, at)));
    const [x, y] = [(0.5 + (0.5 * p[0]) / p[3]) * width, (0.5 - (0.5 * p[1]) / p[3]) * height];
    if (mayBeNamed(k)) shown.push([k, x, y, p[2] / p[3]]);
    grid.add([x - 5, y - 5, x + 5, y + 5]);
  }
  const ringed = new Set(ringedObjects());
  const annotations = [];
  for (const [k, x, y] of shown.sort((a, b) => a[3] - b[3])) {
    const text = cut(labels[k].replace(/\s+/g, ' '), 32);
    const gap = ringed.has(k) ? 18 : 10;
    const box = [x + gap, y - 8, x + gap + 2 + textWidth(text), y + 8];
    if (box[0] < 0 || box[2] > width || box[1] < 0 || box[3] > height || !grid.free(box, [x, y, 5])) continue;
    grid.add(box);
    const [ax, ay, az] = state.axes.map((a) => axes[a][k]);
    annotations.push({ text: plain(text), x: ax, y: ay, z: az, xanchor: 'left', xshift: gap, showarrow: false, font: { size: LABEL_SIZE, color: look.ink } });
    if (annotations.length >= 120) break;
  }
  return annotations;
}
