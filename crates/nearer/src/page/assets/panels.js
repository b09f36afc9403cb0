// Words beside the pictures: the card under the pointer, the legend, the selection, one object, the lists of the worst.

/** What is known of an object, as a list of names and values. */
function facts(k) {
  const list = make('dl');
  for (const column of columns) {
    const value = column.kind === 'groups' ? (groupOf(column, k) < 0 ? null : column.groups[groupOf(column, k)].name) : column.values[k] === null ? null : show(column.values[k]);
    if (value !== null) list.append(make('dt', {}, bdi(column.name)), make('dd', {}, bdi(value)));
  }
  return list;
}

function picture(k) {
  const address = data.images[k];
  if (!address) return '';
  const image = make('img', { alt: name(k) });
  image.src = address;
  return image;
}

/** Where the pointer is; in three dimensions the drawing library does not say. */
let pointer = null;
map.addEventListener('pointermove', (e) => (pointer = { clientX: e.clientX, clientY: e.clientY }), true);
map.addEventListener('pointerleave', hideCard);

function showCard(k, event) {
  const card = byId('card');
  card.replaceChildren(picture(k), make('strong', { dir: 'auto' }, name(k)), facts(k));
  card.hidden = false;
  const box = map.getBoundingClientRect();
  const [x, y] = event ? [event.clientX, event.clientY] : [box.left + 20, box.top + 20];
  const left = x + 16 + card.offsetWidth > innerWidth ? x - 16 - card.offsetWidth : x + 16;
  const top = Math.min(y + 12, innerHeight - card.offsetHeight - 8);
  card.style.left = `${Math.max(4, left)}px`;
  card.style.top = `${Math.max(4, top)}px`;
}

function hideCard() {
  byId('card').hidden = true;
}

// The legend, which filters.

function swatch(symbol, of, hollow) {
  const colour = tint(of);
  const shapes = { circle: 'M6,2.5a3.5,3.5 0 1 0 .01,0z', square: 'M3,3h6v6h-6z', 'triangle-up': 'M6,2l4.5,7.5h-9z', diamond: 'M6,1.5l4.2,4.5l-4.2,4.5l-4.2,-4.5z', 'triangle-down': 'M6,10l4.5,-7.5h-9z', cross: 'M4.7,2h2.6v2.7h2.7v2.6h-2.7v2.7h-2.6v-2.7h-2.7v-2.6h2.7z', x: 'M3.8,2l2.2,2.2l2.2,-2.2l1.8,1.8l-2.2,2.2l2.2,2.2l-1.8,1.8l-2.2,-2.2l-2.2,2.2l-1.8,-1.8l2.2,-2.2l-2.2,-2.2z', star: 'M6,1l1.4,3.4l3.6,.3l-2.7,2.4l.8,3.6l-3.1,-1.9l-3.1,1.9l.8,-3.6l-2.7,-2.4l3.6,-.3z' };
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  const path = document.createElementNS(space, 'path');
  svg.setAttribute('viewBox', '0 0 12 12');
  svg.setAttribute('aria-hidden', 'true');
  path.setAttribute('d', shapes[symbol]);
  path.setAttribute('fill', hollow ? 'none' : colour);
  path.setAttribute('stroke', hollow ? colour : outline(colour, theme(false)));
  svg.append(path);
  return svg;
}

function legendItem(key, text, sign, total) {
  const shown = !state.hidden.has(key);
  const flip = () => {
    if (state.hidden.has(key)) state.hidden.delete(key);
    else state.hidden.add(key);
    drawLegend();
    drawMap();
    byId('legend').querySelector(`[data-key="${key}"]`)?.focus();
  };
  return make('li', {}, make('button', { type: 'button', 'aria-pressed': String(shown), 'data-key': key, onclick: flip, title: shown ? 'Hide' : 'Show' }, sign, make('bdi', {}, cut(text, 90)), make('span', { class: 'count' }, String(total))));
}

function drawLegend() {
  const legend = byId('legend');
  legend.replaceChildren();
  const [colour, shape] = [columns[state.colour], columns[state.shape]];
  const same = colour && colour === shape && colour.kind === 'groups';
  const section = (title, ...rest) => legend.append(make('h3', {}, bdi(title)), ...rest);
  const tally = (of, size) => {
    const counts = new Array(size + 1).fill(0);
    for (let k = 0; k < count; k++) counts[of(k) + 1]++;
    return counts;
  };
  if (colour?.literal && !same) {
    section(colour.name, make('p', { class: 'quiet' }, 'each object in its own colour'));
  } else if (colour?.kind === 'groups') {
    const counts = tally((k) => groupOf(colour, k), colour.groups.length);
    const look = (g) => (same ? g.both : shape ? { colour: g.beside, shape: 'circle' } : g.alone);
    const items = colour.groups.map((g, at) => legendItem(`colour ${at}`, g.name, swatch(look(g).shape, look(g).colour), counts[at + 1]));
    if (counts[0]) items.push(legendItem('colour -1', 'no value', swatch('circle', data.colours.missing, true), counts[0]));
    section(colour.name, make('ul', {}, ...items));
  } else if (colour) {
    section(colour.name, rampLegend(colour));
    const missing = colour.values.filter((v) => v === null).length;
    if (missing) legend.append(make('ul', {}, legendItem('colour -1', 'no value', swatch('circle', data.colours.missing, true), missing)));
  }
  if (shape && !same) {
    const groups = shape.groups ?? SYMBOLS.map((_, at) => ({ name: `${show(shape.low + (at * (shape.high - shape.low)) / 8)} to ${show(shape.low + ((at + 1) * (shape.high - shape.low)) / 8)}` }));
    const counts = tally((k) => shapeGroup(shape, k), groups.length);
    const items = groups.map((g, at) => legendItem(`shape ${at}`, g.name, swatch(SYMBOLS[at % 8], data.colours.missing), counts[at + 1]));
    if (counts[0]) items.push(legendItem('shape -1', 'no value', swatch('circle', data.colours.missing, true), counts[0]));
    section(shape.name, make('ul', {}, ...items));
  }
  const size = columns[state.size];
  if (size) section(size.name, make('p', { class: 'quiet' }, size.kind === 'ramp' ? `size: from ${show(size.low)} to ${show(size.high)}` : 'size: in the order of the groups'));
  arrowLegend(legend);
}

function rampLegend(column) {
  const bar = make('div', { class: 'ramp', 'aria-hidden': 'true' });
  bar.style.background = `linear-gradient(to right, ${data.colours.ramp.map(tint).join(',')})`;
  const [low, high] = state.range ?? [column.low, column.high];
  const words = make('span', { class: 'quiet' }, `${show(low)} to ${show(high)}`);
  const input = (side, value) => make('input', { type: 'range', min: 0, max: 1000, value: Math.round(1000 * share(value, column.low, column.high)), 'aria-label': `${column.name}: ${side}`, oninput: change });
  const ends = [input('from', low), input('to', high)];
  function change() {
    const at = ends.map((e) => Number(e.value) / 1000);
    const value = (t) => (t === 0 ? column.low : t === 1 ? column.high : column.low + t * (column.high - column.low));
    state.range = [value(Math.min(...at)), value(Math.max(...at))];
    words.textContent = state.range.map(show).join(' to ');
    drawMap();
  }
  return make('div', {}, bar, make('div', { class: 'ends' }, ...ends), words);
}

// Selecting, searching, lighting up.

function select(items) {
  state.selected = items && items.length ? new Set(items) : null;
  drawSelection();
  drawMap();
  drawCharts(['shepard', 'verdicts', 'objects']);
}

/** The same when the map has drawn it already; it tells again what it was told, and that is no news. */
function selectedOnMap(items) {
  const same = state.selected && items.length === state.selected.size && items.every((k) => state.selected.has(k));
  if (same || items.length === 0) return;
  state.selected = new Set(items);
  drawSelection();
  decorate();
  drawCharts(['shepard', 'verdicts', 'objects']);
}

function drawSelection() {
  const place = byId('selection');
  place.hidden = !state.selected;
  if (!state.selected) return;
  const items = [...state.selected].sort((a, b) => a - b);
  announce(`${items.length} objects selected`);
  const button = (text, onclick, id) => make('button', { type: 'button', onclick, id }, text);
  const first = items.slice(0, 30).map((k) => make('li', {}, objectButton(k)));
  const more = items.length > 30 ? make('p', { class: 'quiet' }, `and ${items.length - 30} more`) : '';
  place.replaceChildren(
    make('h3', {}, `${items.length} selected`),
    make('p', { class: 'tools' },
      button('Copy ids', () => copy(items.map((k) => labels[k]).join('\n')), 'copy-ids'),
      button('Download csv', () => save('selection.csv', 'text/csv', table(items)), 'selection-csv'),
      button('Clear', () => select(null), 'clear-selection')),
    make('ul', { class: 'names' }, ...first), more);
}

const objectButton = (k) => make('button', { type: 'button', class: 'plain', dir: 'auto', onclick: () => focusOn(k) }, cut(name(k), 80));

function search(text) {
  const list = byId('found');
  const wanted = text.trim().toLowerCase();
  const hits = [];
  if (wanted !== '') for (let k = 0; k < count && hits.length < 1000; k++) if (labels[k].toLowerCase().includes(wanted)) hits.push(k);
  state.found = hits;
  list.hidden = wanted === '';
  const shown = hits.slice(0, 12).map((k) => make('li', {}, objectButton(k)));
  if (hits.length > 12) shown.push(make('li', { class: 'quiet' }, hits.length >= 1000 ? 'and many more' : `and ${hits.length - 12} more`));
  if (wanted !== '' && hits.length === 0) shown.push(make('li', { class: 'quiet' }, 'nothing of that name'));
  list.replaceChildren(...shown);
  if (wanted !== '') announce(hits.length === 1 ? '1 object found' : `${hits.length} objects found`);
  refresh();
}

/** Highlights pairs on the map; the objects at their ends get a ring. */
function light(lines) {
  state.lines = lines;
  const ends = [...new Set(lines.flatMap((l) => [l.a, l.b]))];
  announce(`highlighted: ${ends.map(name).join(', ')}`);
  refresh();
  drawCharts(['shepard']);
}

/** Brings the map into sight where it is not, and offers the way back. */
function showMap() {
  const box = map.getBoundingClientRect();
  const seen = Math.min(box.bottom, innerHeight) - Math.max(box.top, 0);
  if (seen >= 0.6 * Math.min(box.height, innerHeight)) return;
  const from = scrollY;
  const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth';
  map.scrollIntoView({ block: 'center', behavior });
  const back = byId('back');
  back.hidden = false;
  back.onclick = () => {
    back.hidden = true;
    scrollTo({ top: from, behavior });
  };
}

/** Shows highlights without drawing the points anew. */
function refresh() {
  if (state.three) drawMap();
  else decorate();
}

function focusOn(k) {
  state.focus = k;
  state.lines = [];
  drawDetail();
  refresh();
  drawCharts(['objects', 'shepard']);
}

function clearAll() {
  Object.assign(state, { focus: -1, lines: [], found: [] });
  keyed = -1;
  byId('search').value = '';
  byId('found').hidden = true;
  hideCard();
  drawDetail();
  select(null);
}

/** A line of a list that lights up what it is about. */
const row = (lines, ...words) => make('li', {}, make('button', { type: 'button', class: 'row', onclick: (e) => { mark(e.currentTarget); light(lines); showMap(); } }, ...words));

function mark(button) {
  document.querySelectorAll('button.row[aria-current]').forEach((b) => b.removeAttribute('aria-current'));
  button.setAttribute('aria-current', 'true');
}

/** One object and what holds it where it is. */
function drawDetail() {
  const place = byId('detail');
  const k = state.focus;
  if (k < 0) {
    place.replaceChildren(make('p', { class: 'quiet' }, 'Click an object to see what holds it there.'));
    return;
  }
  const at = axes.slice(0, 6).map((axis) => show(axis[k])).join(', ') + (dim > 6 ? ' …' : '');
  const parts = [make('h3', { dir: 'auto' }, name(k)), picture(k), facts(k), make('p', { class: 'quiet' }, `at ${at}`)];
  const own = data.perObject?.values[k];
  if (own !== null && own !== undefined) parts.push(make('p', {}, `${data.perObject.name}: ${show(own)}`));
  if (pairs) parts.push(...heldByPairs(k));
  if (judged) parts.push(...heldByJudgements(k));
  place.replaceChildren(...parts);
  announce(`${name(k)}: details beside the map`);
}

function heldByPairs(k) {
  const own = [];
  for (let p = 0; p < pairs.a.length; p++) if (pairs.a[p] === k || pairs.b[p] === k) own.push({ p, other: pairs.a[p] === k ? pairs.b[p] : pairs.a[p] });
  for (const o of own) {
    o.far = distance(k, o.other);
    o.residual = pairs.disparity[o.p] - o.far;
  }
  const item = (o) => row([{ a: k, b: o.other, kind: 'pair' }], bdi(cut(name(o.other), 60)), make('span', { class: 'quiet' }, ` ${boundWord(pairs.bound?.[o.p] ?? 0)}${show(pairs.data[o.p])} in the data, ${show(o.far)} on the map`));
  const list = (title, of) => (of.length ? [make('h4', {}, title), make('ul', { class: 'rows' }, ...of.map(item))] : []);
  const some = pairs.a.length < pairs.total ? [make('p', { class: 'quiet' }, 'Only of the pairs drawn.')] : [];
  return [
    ...list('Nearest in the data', [...own].sort((a, b) => pairs.data[a.p] - pairs.data[b.p]).slice(0, 5)),
    ...list('Fits worst', [...own].sort((a, b) => Math.abs(b.residual) - Math.abs(a.residual)).slice(0, 5)),
    ...some,
  ];
}

function heldByJudgements(k) {
  const own = Array.from(judged.verdict.keys()).filter((r) => rowObjects(r).includes(k));
  const slack = (r) => judged.farDistance[r] - judged.nearDistance[r];
  const bad = own.filter((r) => judged.verdict[r] !== 1).sort((a, b) => slack(a) - slack(b));
  const good = own.filter((r) => judged.verdict[r] === 1).sort((a, b) => slack(a) - slack(b));
  const list = (title, rows, kind) => (rows.length ? [make('h4', {}, title), make('ul', { class: `rows ${kind}` }, ...rows.slice(0, 6).map(judgement))] : []);
  return [...list(`Violated (${bad.length})`, bad, 'bad'), ...list(`Satisfied (${good.length}), the closest calls first`, good, 'good')];
}

function judgement(r) {
  const said = judged.times[r] > 1 ? `, said ${judged.times[r]} times` : '';
  const who = judged.who[r] === NONE ? '' : `, ${judged.times[r] > 1 ? 'first ' : ''}by ${judged.people[judged.who[r]]}`;
  return row(rowLines(r), bdi(sentence(r)), make('span', { class: 'quiet' }, ` ${show(judged.nearDistance[r])} and ${show(judged.farDistance[r])} on the map${said}${who}`));
}

/** The lists of what fits worst. */
function drawWorst() {
  byId('worst')?.replaceChildren(...data.worst.map((w) => {
    const bound = w.bound ? `${w.bound.replace('-', ' ')} ` : '';
    return row([{ a: w.a, b: w.b, kind: 'pair' }], bdi(cut(name(w.a), 60)), ' and ', bdi(cut(name(w.b), 60)), make('span', { class: 'quiet' }, ` ${bound}${show(w.data)} in the data${asks(w.data, w.residual + w.distance)}, ${show(w.distance)} on the map, ${residualWords(w.residual)}`));
  }));
  const violated = byId('violated');
  if (violated) {
    const rows = Array.from(judged.verdict.keys()).filter((r) => judged.verdict[r] === 0).slice(0, 10);
    violated.replaceChildren(...(rows.length ? rows.map(judgement) : [make('li', { class: 'quiet' }, 'none: every judgement holds')]));
  }
}
