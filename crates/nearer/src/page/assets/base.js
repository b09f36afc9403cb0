// The page's data, and the small things that everything else uses.

const data = JSON.parse(document.getElementById('data').textContent);
const NONE = 0xffffffff;

/** Numbers as the page holds them: a list, or 32-bit values in base64. */
function unpack(numbers) {
  if (numbers === null || numbers === undefined) return null;
  if (Array.isArray(numbers)) return numbers;
  const text = atob(numbers.f32 ?? numbers.u32);
  const bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
  return numbers.f32 === undefined ? new Uint32Array(bytes.buffer) : new Float32Array(bytes.buffer);
}

const labels = data.labels;
const count = labels.length;
const axes = data.axes.map(unpack);
const dim = axes.length;
const columns = data.columns.map((c) => (c.kind === 'groups' ? { ...c, of: unpack(c.of) } : c));
const pairs = data.pairs && {
  total: data.pairs.total,
  a: unpack(data.pairs.a),
  b: unpack(data.pairs.b),
  data: unpack(data.pairs.data),
  disparity: unpack(data.pairs.disparity),
  bound: data.pairs.bound ?? null,
};
const judged = data.judged && {
  ...data.judged,
  near: data.judged.near.map(unpack),
  far: data.judged.far.map(unpack),
  nearDistance: unpack(data.judged.nearDistance),
  farDistance: unpack(data.judged.farDistance),
  verdict: unpack(data.judged.verdict),
  times: unpack(data.judged.times),
  who: unpack(data.judged.who),
};

/** What the reader has asked for. */
const state = {
  three: false,
  axes: [0, Math.min(1, dim - 1), Math.min(2, dim - 1)],
  colour: data.colourBy ?? -1,
  size: data.opening?.size ?? -1,
  shape: data.shapeBy ?? -1,
  hidden: new Set(), // of the legend: 'colour 3', 'shape none'
  range: null, // of a ramp: [low, high]
  labels: true,
  ellipses: data.ellipses !== null,
  links: data.links?.shown ?? false,
  groups: data.opening?.groups ?? -1, // the column whose groups are drawn; -1: the one that colours
  hulls: data.opening?.hulls ?? false,
  groupEllipses: data.opening?.ellipses ?? false,
  spiders: data.opening?.spiders ?? false,
  contours: data.opening?.contours ?? false,
  arrows: new Set(data.opening?.arrows ?? []), // which of the fitted columns
  showArrows: (data.opening?.arrows ?? []).length > 0,
  titles: data.opening?.titles ?? ['', ''],
  mode: 'pan',
  selected: null, // a Set of objects, or null
  found: [], // objects that the search found
  focus: -1, // the object that is told about
  lines: [], // highlighted pairs: { a, b, kind: 'pair' | 'near' | 'far' }
  scheme: data.opening?.theme ?? 'auto',
};

const byId = (id) => document.getElementById(id);

/** An element with properties and children; a string becomes a text node, whatever is in it. */
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === 'class') element.className = value;
    else if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** A name for an object that has none. */
const name = (k) => (labels[k] === '' ? '(no label)' : labels[k]);

/** A name in a text that may run the other way. */
const bdi = (text) => make('bdi', {}, text);

/**
 * What ends a section of XML may not stand in its text, and the drawing library writes a `>` as it is: a sign without width between keeps
 * its pictures whole.
 */
const [SECTION, BROKEN] = [']]>', ']]\u200b>'];

/** Text for the drawing library, which reads tags and entities in it: it is to show them instead. */
function plain(text) {
  return text
    .replaceAll(SECTION, BROKEN)
    .replace(/[\u0000-\u001f\u007f-\u009f\ufffe\uffff]/g, ' ')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;');
}

/** Text cut to so many characters. */
function cut(text, most) {
  const letters = Array.from(text);
  return letters.length <= most ? text : letters.slice(0, most - 1).join('') + '…';
}

function announce(text) {
  byId('say').textContent = text;
}

/** The distance of two objects on the map, over all its axes. */
function distance(a, b) {
  let sum = 0;
  for (const axis of axes) sum += (axis[a] - axis[b]) ** 2;
  return Math.sqrt(sum);
}

// Numbers as the figures of `nearer plot` write them.

/** `1500`, `0.25`, `−3`, `2×10⁷`. */
function show(v) {
  if (v === 0 || !Number.isFinite(v)) return v === 0 ? '0' : String(v);
  const [digits, power] = Math.abs(v).toExponential(3).split('e');
  const exponent = Number(power);
  const minus = v < 0 ? '−' : '';
  if (exponent >= -4 && exponent < 6) return minus + trimmed(Math.abs(v).toFixed(Math.max(0, 3 - exponent)));
  const raised = Array.from(String(exponent), (c) => (c === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(c)])).join('');
  return trimmed(digits) === '1' ? `${minus}10${raised}` : `${minus}${trimmed(digits)}×10${raised}`;
}

const trimmed = (text) => (text.includes('.') ? text.replace(/0+$/, '').replace(/\.$/, '') : text);

/** The largest of 1, 2 or 5 times a power of ten that is not above v. */
function roundDown(v) {
  if (!(Number.isFinite(v) && v > 0)) return null;
  const exponent = Math.floor(Math.log10(v));
  const lead = v / 10 ** exponent;
  return Number(`${lead >= 5 ? 5 : lead >= 2 ? 2 : 1}e${exponent}`);
}

/** Round values from below low to above high, about so many. */
function ticks(low, high, about) {
  if (!(high > low)) {
    const half = low === 0 ? 1 : Math.abs(low) / 2;
    [low, high] = [low - half, low + half];
  }
  const raw = high / about - low / about;
  const down = roundDown(raw) ?? 1;
  const lead = down / 10 ** Math.floor(Math.log10(down));
  const step = raw <= down * (1 + 1e-9) ? down : lead >= 1.5 && lead < 4 ? down * 2.5 : down * 2;
  const [first, last] = [Math.floor(low / step + 1e-9), Math.ceil(high / step - 1e-9)];
  if (!(last > first && last - first < 100)) return [low, high];
  return Array.from({ length: last - first + 1 }, (_, k) => (first + k) * step);
}

/** Marks for an axis over these values; from 0 where they are not negative and 0 is not far below them. */
function marks(values, about) {
  let [low, high] = [Infinity, -Infinity];
  for (const v of values) {
    if (v < low) low = v;
    if (v > high) high = v;
  }
  if (low > high) return [0, 1];
  return ticks(low >= 0 && low < 0.6 * high ? 0 : low, high, about);
}

// Light and dark.

const LIGHT = { ink: '#222222', quiet: '#555555', frame: '#c8c8c8', paper: '#ffffff', dark: false };

/** The colours of the scheme that is shown, from the style sheet; pictures that are saved are always light. */
function theme(saving) {
  if (saving) return LIGHT;
  const style = getComputedStyle(document.documentElement);
  const of = (variable) => style.getPropertyValue(variable).trim();
  return { ink: of('--ink'), quiet: of('--quiet'), frame: of('--frame'), paper: of('--paper'), dark: isDark() };
}

const systemDark = matchMedia('(prefers-color-scheme: dark)');
const isDark = () => state.scheme === 'dark' || (state.scheme === 'auto' && systemDark.matches);

/** A colour some share of the way to another. */
function mix(from, to, share) {
  const part = (hex, k) => parseInt(hex.slice(1 + 2 * k, 3 + 2 * k), 16);
  const one = (k) => Math.round(part(from, k) + share * (part(to, k) - part(from, k)));
  return '#' + [0, 1, 2].map((k) => one(k).toString(16).padStart(2, '0')).join('');
}

/** A colour as the scheme has it: a grey of the same lightness where no colours are wanted. */
function tint(colour) {
  if (state.scheme !== 'grey') return colour;
  const part = (k) => parseInt(colour.slice(1 + 2 * k, 3 + 2 * k), 16);
  const light = Math.floor(0.299 * part(0) + 0.587 * part(1) + 0.114 * part(2)).toString(16).padStart(2, '0');
  return `#${light}${light}${light}`;
}

/** The outline that keeps neighbours apart and pale fills visible; on dark paper it is lighter than the fill. */
const outline = (colour, look) => mix(colour, look.dark ? '#ffffff' : '#000000', look.dark ? 0.45 : 0.35);

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
const NEAR = data.colours.palette[2];
const FAR = data.colours.palette[1];
