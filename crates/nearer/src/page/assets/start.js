// Saving, the controls, and the beginning: unpack the drawing library, then draw.

/** A cell of a csv file. A text that a spreadsheet would run as a formula gets an apostrophe; a number stays one. */
function cell(text) {
  const number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text);
  const safe = !number && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) || safe !== safe.trim() ? `"${safe.replace(/"/g, '""')}"` : safe;
}

/** Objects as csv: label, coordinates, metadata. */
function table(items) {
  const value = (column, k) => (column.kind === 'groups' ? (groupOf(column, k) < 0 ? '' : column.groups[groupOf(column, k)].name) : column.values[k] === null ? '' : String(column.values[k]));
  const header = ['label', ...axes.map((_, a) => `x${a + 1}`), ...columns.map((c) => c.name)].map(cell).join(',');
  const line = (k) => [cell(labels[k]), ...axes.map((axis) => String(axis[k])), ...columns.map((c) => cell(value(c, k)))].join(',');
  return [header, ...items.map(line)].join('\n') + '\n';
}

function save(file, type, content) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = make('a', { download: file });
  link.href = address;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Where the clipboard is forbidden to files the old way still works.
    const area = make('textarea', { class: 'unseen' });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
  announce('copied');
}

/** A picture of the page as a file: light, with a legend where colours or shapes mean something. */
async function savePicture(id, format) {
  const place = byId(id);
  const figure = id === 'map' ? mapFigure(true) : charts[id](LIGHT);
  const layout = { ...figure.layout, paper_bgcolor: '#ffffff' };
  const traces = figure.data.map((t) => ({ ...t }));
  if (id === 'map') {
    if (state.three) layout.scene = { ...layout.scene, camera: map._fullLayout.scene.camera, annotations: spaceLabels(LIGHT) };
    else {
      Object.assign(layout, overlay(LIGHT));
      layout.xaxis = { ...layout.xaxis, range: map._fullLayout.xaxis.range };
      layout.yaxis = { ...layout.yaxis, range: map._fullLayout.yaxis.range };
    }
    explain(traces, layout);
  }
  const size = { width: Math.max(320, place.clientWidth), height: Math.max(240, place.clientHeight) };
  const address = await Plotly.toImage({ data: traces, layout, config: { plotlyServerURL: '' } }, { format, ...size, scale: format === 'png' ? 3 : 1 });
  if (format === 'svg') {
    const drawn = decodeURIComponent(address.slice(address.indexOf(',') + 1));
    save(`${id}.svg`, 'image/svg+xml', drawn.replaceAll(BROKEN, ']]&gt;'));
  } else {
    const bytes = Uint8Array.from(atob(address.slice(address.indexOf(',') + 1)), (c) => c.charCodeAt(0));
    save(`${id}.png`, 'image/png', bytes);
  }
}

/** A legend for a picture that stands alone: one entry for each group that is shown. */
function explain(traces, layout) {
  const [colour, shape] = [columns[state.colour], columns[state.shape]];
  const column = colour?.kind === 'groups' && !colour.literal ? colour : shape?.groups ? shape : null;
  if (!column) return;
  const kind = column === colour ? 'colour' : 'shape';
  const entries = column.groups.slice(0, 40).flatMap((g, at) => {
    if (state.hidden.has(`${kind} ${at}`)) return [];
    const marker = kind === 'shape' ? { color: data.colours.missing, symbol: g.shape } : { color: shape && shape !== colour ? g.beside : shape ? g.both.colour : g.alone.colour, symbol: shape === colour ? g.both.shape : shape ? 'circle' : g.alone.shape };
    const entry = { mode: 'markers', name: plain(cut(g.name, 40)), showlegend: true, marker: { ...marker, size: 9 } };
    return [state.three ? { ...entry, type: 'scatter3d', x: [null], y: [null], z: [null], marker: { ...entry.marker, symbol: SOLID[marker.symbol] ?? marker.symbol } } : { ...entry, type: 'scatter', x: [null], y: [null] }];
  });
  traces.push(...entries);
  layout.showlegend = true;
  layout.legend = { title: { text: plain(cut(column.name, 40)) }, bgcolor: 'rgba(255,255,255,0)' };
}

// The controls.

function fillChoices() {
  const options = (select, texts, chosen, first) => {
    if (first !== undefined) select.append(make('option', { value: '-1' }, first));
    texts.forEach((text, k) => select.append(make('option', { value: String(k) }, cut(text, 40))));
    select.value = String(chosen);
  };
  const names = axes.map((_, a) => `axis ${a + 1}`);
  ['axis-x', 'axis-y', 'axis-z'].forEach((id, k) => {
    options(byId(id), names, state.axes[k]);
    byId(id).closest('label').hidden = dim < 2 + (k === 2 ? 1 : 0) || (k < 2 && dim === 2);
    byId(id).addEventListener('change', () => chooseAxis(k, Number(byId(id).value)));
  });
  byId('axis-z-label').hidden = true;
  for (const [id, field] of [['colour-by', 'colour'], ['size-by', 'size'], ['shape-by', 'shape']]) {
    options(byId(id), columns.map((c) => c.name), state[field], field === 'size' ? 'all alike' : 'none');
    byId(id).closest('label').hidden = columns.length === 0;
    byId(id).addEventListener('change', () => {
      state[field] = Number(byId(id).value);
      if (field !== 'size') [...state.hidden].filter((key) => key.startsWith(field)).forEach((key) => state.hidden.delete(key));
      if (field === 'colour') state.range = null;
      drawLegend();
      drawMap();
    });
  }
}

/** An axis for one direction; if another direction has it, the two change places. */
function chooseAxis(k, axis) {
  const other = state.axes.findIndex((a, i) => a === axis && i !== k);
  if (other >= 0) state.axes[other] = state.axes[k];
  state.axes[k] = axis;
  ['axis-x', 'axis-y', 'axis-z'].forEach((id, i) => (byId(id).value = String(state.axes[i])));
  drawMap();
}

function wire() {
  const on = (id, event, act) => byId(id)?.addEventListener(event, act);
  document.querySelectorAll('[data-mode]').forEach((button) => button.addEventListener('click', () => {
    state.mode = button.dataset.mode;
    document.querySelectorAll('[data-mode]').forEach((b) => b.setAttribute('aria-pressed', String(b === button)));
    if (!state.three) Plotly.relayout(map, { dragmode: state.mode });
  }));
  document.querySelectorAll('[data-save]').forEach((b) => b.addEventListener('click', () => savePicture(b.dataset.save, b.dataset.format)));
  document.querySelectorAll('[data-copy]').forEach((b) => b.addEventListener('click', () => copy(byId(b.dataset.copy).textContent)));
  on('zoom-in', 'click', () => zoom(1 / 1.5));
  on('zoom-out', 'click', () => zoom(1.5));
  on('whole', 'click', wholeMap);
  byId('three').hidden = dim < 3;
  on('three', 'click', () => {
    state.three = !state.three;
    byId('three').setAttribute('aria-pressed', String(state.three));
    byId('axis-z-label').hidden = !state.three;
    document.querySelectorAll('[data-mode], #layers input, #layers select').forEach((b) => (b.disabled = state.three));
    drawMap();
  });
  on('search', 'input', () => search(byId('search').value));
  on('search', 'keydown', (e) => {
    if (e.key === 'Enter' && state.found.length) focusOn(state.found[0]);
  });
  on('labels', 'change', () => { state.labels = byId('labels').checked; decorate(); });
  byId('ellipses-label').hidden = !data.ellipses;
  on('ellipses', 'change', () => { state.ellipses = byId('ellipses').checked; drawMap(); });
  byId('links-label').hidden = !data.links;
  byId('links').checked = state.links;
  on('links', 'change', () => { state.links = byId('links').checked; drawMap(); });
  wireLayers();
  on('save-csv', 'click', () => save('map.csv', 'text/csv', table(Array.from(labels.keys()))));
  on('save-json', 'click', () => save('report.json', 'application/json', JSON.stringify(data.report, null, 2)));
  on('scheme', 'click', changeScheme);
  systemDark.addEventListener('change', redraw);
  on('table', 'toggle', fillTable);
  map.addEventListener('keydown', keys);
  document.addEventListener('keydown', (e) => { if (e.key === 'Escape') clearAll(); });
}

function changeScheme() {
  const order = ['auto', 'light', 'dark', 'grey'];
  state.scheme = order[(order.indexOf(state.scheme) + 1) % order.length];
  showScheme();
  redraw();
}

/** The page in its scheme; grey is light, with colours taken out of the map. */
function showScheme() {
  if (state.scheme === 'auto') document.documentElement.removeAttribute('data-scheme');
  else document.documentElement.setAttribute('data-scheme', state.scheme === 'grey' ? 'light' : state.scheme);
  byId('scheme').textContent = `Scheme: ${state.scheme}`;
  byId('scheme').setAttribute('aria-label', `Colour scheme: ${state.scheme === 'auto' ? 'as the system' : state.scheme}`);
}

function redraw() {
  drawLegend();
  drawMap();
  drawCharts();
}

/** Coordinates in words, for those who read rather than look. */
function fillTable() {
  const place = byId('table').querySelector('div');
  if (!byId('table').open || place.firstChild) return;
  const head = make('tr', {}, make('th', { scope: 'col' }, 'label'), ...axes.map((_, a) => make('th', { scope: 'col', class: 'number' }, `x${a + 1}`)));
  const body = labels.slice(0, 1000).map((_, k) => make('tr', {}, make('th', { scope: 'row', dir: 'auto' }, cut(name(k), 80)), ...axes.map((axis) => make('td', { class: 'number' }, show(axis[k])))));
  place.append(make('table', {}, make('thead', {}, head), make('tbody', {}, ...body)));
  if (count > 1000) place.append(make('p', { class: 'quiet' }, `The first 1000 of ${count}; the csv has them all.`));
}

/** From object to object by the arrow keys: the nearest one in that direction. */
function keys(e) {
  const directions = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  if (e.key === '+' || e.key === '=') zoom(1 / 1.5);
  else if (e.key === '-') zoom(1.5);
  else if (e.key === 'Enter' && keyed >= 0) focusOn(keyed);
  else if (directions[e.key]) step(directions[e.key]);
  else return;
  e.preventDefault();
}

function step([dx, dy]) {
  const [x, y] = [axes[state.axes[0]], dim === 1 ? null : axes[state.axes[1]]];
  const at = (k) => [x[k], y ? y[k] : 0];
  const items = traceItems.flat();
  const from = keyed >= 0 ? at(keyed) : null;
  let [best, least] = [keyed, Infinity];
  for (const k of items) {
    const p = at(k);
    const d = from ? [p[0] - from[0], p[1] - from[1]] : p;
    const [along, across] = [d[0] * dx + d[1] * dy, Math.abs(d[0] * dy) + Math.abs(d[1] * dx)];
    if (from && along <= 0) continue;
    const cost = from ? along + 2 * across : Math.hypot(...d);
    if (cost < least) [best, least] = [k, cost];
  }
  if (best < 0) return;
  keyed = best;
  const box = map.getBoundingClientRect();
  showCard(best, { clientX: box.left + 24, clientY: box.top + 24 });
  announce(name(best));
  refresh();
}

/** Puts the packed drawing library to work. */
async function unpackPlotly() {
  const text = atob(byId('plotly').textContent);
  const bytes = Uint8Array.from(text, (c) => c.charCodeAt(0));
  const source = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
  const script = document.createElement('script');
  script.textContent = source;
  document.head.append(script);
  byId('plotly').remove();
}

async function start() {
  // On a small screen the map comes first, and what is chosen about it on demand.
  byId('choices').open = !matchMedia('(max-width: 820px)').matches;
  fillChoices();
  showScheme();
  drawLegend();
  drawWorst();
  if (typeof DecompressionStream === 'undefined') throw new Error('this browser is older than May 2023 and cannot unpack the drawing library; open the page in a newer one');
  await unpackPlotly();
  wire();
  await drawMap();
  drawCharts();
  document.documentElement.setAttribute('data-ready', '');
}

start().catch((error) => {
  byId('trouble').hidden = false;
  byId('trouble').textContent = `The map could not be drawn: ${error.message}.`;
});
