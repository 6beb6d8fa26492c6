// @ts-check
/** Draws the charts of a page from their data, with uPlot, which a script before this one defines. */

const { uPlot } = /** @type {any} */ (window)

const HEIGHT = 240
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** @param {number} value */
const two = (value) => String(value).padStart(2, '0')

/** @param {number} seconds @param {string} bucket */
const timeOf = (seconds, bucket) => {
  const at = new Date(seconds * 1_000)
  const day = `${at.getUTCDate()} ${months[at.getUTCMonth()]}`
  return bucket === 'day' ? day : `${day}, ${two(at.getUTCHours())}:00 UTC`
}

/** Midnight shows its day. @param {number} seconds */
const tickOf = (seconds) => {
  const at = new Date(seconds * 1_000)
  return seconds % 86_400 === 0
    ? `${at.getUTCDate()} ${months[at.getUTCMonth()]}`
    : `${two(at.getUTCHours())}:00`
}

/** A colour of the style sheet. @param {string} name */
const colour = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()

const colours = {
  svc: 'series-svc',
  'verified-facilitator': 'series-verified',
  'x402-shaped': 'series-shaped',
}

/** @param {HTMLElement} place */
const chart = (place) => {
  const { bucket, at, series } = JSON.parse(place.dataset.chart ?? '{}')
  /** The tops of the bars: each lies on those below it. @type {number[][]} */
  const tops = []
  for (const { counts } of series) {
    const below = tops.at(-1)
    tops.push(
      counts.map(
        (/** @type {number} */ count, /** @type {number} */ i) => count + (below?.[i] ?? 0),
      ),
    )
  }
  // The highest is drawn first, and the lower ones over it.
  const order = series.map((/** @type {any} */ _, /** @type {number} */ i) => i).reverse()
  const seconds = bucket === 'day' ? 86_400 : 3_600
  const readout = document.createElement('p')
  readout.className = 'readout'
  readout.setAttribute('aria-hidden', 'true')

  /** @param {number | null | undefined} i */
  const tell = (i) => {
    const shown = i ?? at.length - 1
    const parts = series
      .filter((/** @type {any} */ each) => each.counts[shown] > 0)
      .map(
        (/** @type {any} */ each) => `${each.counts[shown].toLocaleString('en-US')} ${each.label}`,
      )
    const all = tops.at(-1)?.[shown] ?? 0
    readout.textContent = `${timeOf(at[shown], bucket)} · ${all.toLocaleString('en-US')} payment${all === 1 ? '' : 's'}${
      parts.length > 1 ? ` (${parts.join(', ')})` : ''
    }`
  }

  const axis = () => ({
    stroke: colour('soft'),
    grid: { stroke: colour('line'), width: 1 },
    ticks: { show: false },
    font: '12px system-ui, sans-serif',
  })
  const draw = () =>
    new uPlot(
      {
        width: Math.max(200, place.clientWidth),
        height: HEIGHT,
        padding: [12, 14, 0, 0],
        legend: { show: false },
        tzDate: (/** @type {number} */ ts) => uPlot.tzDate(new Date(ts * 1_000), 'Etc/UTC'),
        cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
        scales: {
          x: { time: true, range: () => [at[0] - seconds * 0.6, at.at(-1) + seconds * 0.6] },
          y: {
            range: (
              /** @type {any} */ _u,
              /** @type {number} */ _min,
              /** @type {number} */ max,
            ) => [0, Math.max(4, max * 1.08)],
          },
        },
        axes: [
          {
            ...axis(),
            grid: { show: false },
            space: 64,
            size: 30,
            incrs: [1, 2, 3, 6, 12, 24, 48, 96, 168, 336].map((hours) => hours * 3_600),
            values: (/** @type {any} */ _u, /** @type {number[]} */ values) => values.map(tickOf),
          },
          {
            ...axis(),
            size: 52,
            space: 44,
            incrs: [
              1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6,
              2e6, 5e6, 1e7,
            ],
            values: (/** @type {any} */ _u, /** @type {number[]} */ values) =>
              values.map((value) => value.toLocaleString('en-US')),
          },
        ],
        series: [
          {},
          ...order.map((/** @type {number} */ i) => {
            const fill = colour(colours[/** @type {keyof typeof colours} */ (series[i].name)])
            return {
              label: series[i].label,
              fill,
              width: 0,
              points: { show: false },
              paths: uPlot.paths.bars({ size: [0.72, 40], radius: 0.12 }),
            }
          }),
        ],
        hooks: { setCursor: [(/** @type {any} */ u) => tell(u.cursor.idx)] },
      },
      [at, ...order.map((/** @type {number} */ i) => tops[i])],
      place,
    )

  place.before(readout)
  tell(undefined)
  let drawn = draw()
  let width = place.clientWidth
  new ResizeObserver(() => {
    if (place.clientWidth === width) return
    width = place.clientWidth
    drawn.setSize({ width: Math.max(200, width), height: HEIGHT })
  }).observe(place)
  document.addEventListener('theme-change', () => {
    drawn.destroy()
    drawn = draw()
  })
}

for (const place of document.querySelectorAll('[data-chart]')) {
  if (uPlot && place instanceof HTMLElement) chart(place)
}
