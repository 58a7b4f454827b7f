/**
 * plot: bars, as an SVG that can be read in a light and in a dark page.
 *
 * in     panels, each with a title and bars `{ label, value, text, kind }`, best first; kind: ours, reference, node, native
 * out    the text of the SVG
 */
const COLORS = { ours: '#2563eb', reference: '#9ca3af', node: '#f59e0b', native: '#a78bfa' }
const LEGEND = { ours: 'Plugboard', reference: 'floor, SDK', node: 'peers on Node', native: 'native, Bun' }
const [WIDTH, LABEL, NUMBER, ROW, HEAD] = [760, 240, 100, 19, 34]

/** What is longer than this many times ours is cut, with a gap to show it: else one slow peer would hide all the rest. */
const LONGEST = 8

export function toSvg(title, panels) {
  const heights = panels.map(({ bars }) => HEAD + bars.length * ROW + 10)
  const height = 52 + heights.reduce((sum, one) => sum + one, 0)
  let top = 52
  const parts = panels.map((panel, i) => {
    const drawn = drawPanel(panel, top)
    top += heights[i]
    return drawn
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="system-ui, sans-serif" font-size="12">`,
    `<title>${escape(title)}</title>`,
    `<rect width="${WIDTH}" height="${height}" rx="8" fill="#ffffff"/>`,
    `<text x="16" y="24" font-size="15" font-weight="600" fill="#111827">${escape(title)}</text>`,
    ...drawLegend(new Set(panels.flatMap(({ bars }) => bars.map(({ kind }) => kind)))),
    ...parts.flat(),
    '</svg>',
    '',
  ].join('\n')
}

function drawLegend(kinds) {
  let x = 16
  const shown = Object.entries(LEGEND).filter(([kind]) => kinds.has(kind))
  return shown.flatMap(([kind, text]) => {
    const at = x
    x += 34 + text.length * 6.6
    return [
      `<rect x="${at}" y="34" width="10" height="10" rx="2" fill="${COLORS[kind]}"/>`,
      `<text x="${at + 15}" y="43" fill="#374151" font-size="11">${text}</text>`,
    ]
  })
}

function drawPanel({ title, bars }, top) {
  const ours = bars.find(({ kind }) => kind === 'ours')?.value ?? bars[0].value
  const longest = Math.min(Math.max(...bars.map(({ value }) => value)), ours * LONGEST)
  const room = WIDTH - LABEL - NUMBER - 24
  const lines = bars.flatMap(({ label, value, text, kind }, i) => {
    const y = top + HEAD + i * ROW
    const isCut = value > longest
    const width = Math.max(2, (Math.min(value, longest) / longest) * room).toFixed(1)
    const weight = kind === 'ours' ? ' font-weight="600"' : ''
    return [
      `<text x="${LABEL - 8}" y="${y + 12}" text-anchor="end" fill="#111827"${weight}>${escape(label)}</text>`,
      `<rect x="${LABEL}" y="${y + 2}" width="${width}" height="13" rx="2" fill="${COLORS[kind]}"/>`,
      ...(isCut ? [`<path d="M${LABEL + room - 26} ${y}l6 17h5l-6 -17z" fill="#ffffff"/>`] : []),
      `<text x="${LABEL + Number(width) + 6}" y="${y + 12}" fill="#374151"${weight}>${escape(text)}</text>`,
    ]
  })
  return [
    `<text x="16" y="${top + 22}" font-size="12.5" font-weight="600" fill="#374151">${escape(title)}</text>`,
    ...lines,
  ]
}

function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
