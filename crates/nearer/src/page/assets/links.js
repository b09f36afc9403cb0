// The links of the neighbourhood graph, under the points.

const links = data.links && { a: unpack(data.links.a), b: unpack(data.links.b) };

/** The links between objects that are shown, as one line with gaps; of a selection those that touch it. */
function linkTraces(look) {
  if (!links || !state.links) return [];
  const seen = Array.from({ length: count }, (_, k) => visible(k, lookOf(k)));
  const drawn = state.axes.slice(0, state.three ? 3 : 2).map((axis, i) => (dim === 1 && i > 0 ? null : axes[axis]));
  const line = drawn.map(() => []);
  for (let e = 0; e < links.a.length; e++) {
    const [a, b] = [links.a[e], links.b[e]];
    if (!seen[a] || !seen[b] || (state.selected && !state.selected.has(a) && !state.selected.has(b))) continue;
    drawn.forEach((axis, i) => line[i].push(axis ? axis[a] : 0, axis ? axis[b] : 0, null));
  }
  const of = { mode: 'lines', hoverinfo: 'skip', showlegend: false, opacity: links.a.length > 5000 ? 0.25 : 0.4 };
  if (state.three) return [{ ...of, type: 'scatter3d', x: line[0], y: line[1], z: line[2], line: { color: look.quiet, width: 1.5 } }];
  const type = count > MANY && webgl ? 'scattergl' : 'scatter';
  return [{ ...of, type, x: line[0], y: line[1], line: { color: look.quiet, width: 1 } }];
}
