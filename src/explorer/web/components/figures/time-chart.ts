import { h, type VNode } from 'preact'
import type { FeedFilters } from '../../../reads.ts'
import type { Timeseries } from '../../../records.ts'
import { type Confidence, confidences } from '../../../store/tables.ts'
import { counted, readableCount } from '../../format/count.ts'
import { linkTo } from '../../links.ts'
import { beforeTime } from '../../views/feed/before-time.ts'
import { dataTable, emptyState } from '../tables/data-table.ts'
import { confidenceWords } from '../values/confidence.ts'

type Point = Timeseries['points'][number]

export interface TimeChartOptions {
  readonly series: Timeseries
  /** The filters of the payments that the chart counts. */
  readonly filters: FeedFilters
  readonly span: string
}

/**
 * Payments by time, stacked by confidence. The script draws the chart from the same numbers that the table below it has,
 * which is all there is without a script.
 */
export function timeChart({ series, filters, span }: TimeChartOptions): VNode {
  const shown = confidences.map((name) => ({ name, count: sum(series, name) }))
  const all = shown.reduce((total, { count }) => total + count, 0)
  if (all === 0) return emptyState('No payment in this time.')
  return h(
    'div',
    { class: 'time-chart' },
    h(
      'ul',
      { class: 'legend' },
      shown.map(({ name, count }) =>
        h(
          'li',
          { key: name },
          h(
            'a',
            {
              class: `confidence ${name}`,
              href: linkTo.payments({ ...filters, confidence: name }),
            },
            h('span', { class: 'shape', 'aria-hidden': 'true' }),
            confidenceWords[name].label,
            ' ',
            h('span', { class: 'num' }, readableCount(count)),
          ),
        ),
      ),
    ),
    h('div', {
      class: 'plot',
      role: 'img',
      'aria-label': `Chart: ${counted(all, 'payment')}, ${span}, by ${series.bucket}. The table below has the numbers.`,
      'data-chart': JSON.stringify(dataOf(series)),
    }),
    h(
      'details',
      { class: 'numbers' },
      h('summary', null, 'The numbers as a table'),
      numbers(series, filters, span),
    ),
  )
}

const sum = ({ points }: Timeseries, name: Confidence): number =>
  points.reduce((total, { byConfidence }) => total + byConfidence[name], 0)

/** For the script: times in Unix seconds, and the counts of each confidence, lowest in the stack first. */
const dataOf = ({ bucket, points }: Timeseries) => ({
  bucket,
  at: points.map(({ at }) => Date.parse(at) / 1_000),
  series: confidences.map((name) => ({
    name,
    label: confidenceWords[name].label,
    counts: points.map(({ byConfidence }) => byConfidence[name]),
  })),
})

function numbers({ bucket, points }: Timeseries, filters: FeedFilters, span: string): VNode {
  const count = (at: string, value: number, confidence?: Confidence): VNode | string =>
    value === 0
      ? '0'
      : h('a', { href: upTo(endOf(at, bucket), filters, confidence) }, readableCount(value))
  return dataTable<Point>({
    caption: `Payments by ${bucket}, ${span}`,
    class: 'dense',
    rows: points.filter(({ payments }) => payments > 0).toReversed(),
    keyOf: ({ at }) => at,
    empty: 'No payment in this time.',
    columns: [
      {
        label: bucket === 'hour' ? 'Hour (UTC)' : 'Day (UTC)',
        isRowHeader: true,
        cell: ({ at }) => h('time', { dateTime: at }, labelOf(at, bucket)),
      },
      {
        label: 'Payments',
        isNumber: true,
        cell: ({ at, payments }) => count(at, payments),
      },
      ...confidences.map((name) => ({
        label: confidenceWords[name].label,
        isNumber: true,
        cell: ({ at, byConfidence }: Point) => count(at, byConfidence[name], name),
      })),
    ],
  })
}

/** The feed at the end of a bucket, whose payments come first there. */
const upTo = (end: string, filters: FeedFilters, confidence: Confidence | undefined): string =>
  linkTo.payments({ ...filters, ...(confidence && { confidence }), cursor: beforeTime(end) })

const labelOf = (at: string, bucket: Timeseries['bucket']): string =>
  bucket === 'hour' ? `${at.slice(0, 10)} ${at.slice(11, 16)}` : at.slice(0, 10)

const milliseconds = { hour: 3_600_000, day: 86_400_000 } as const

const endOf = (at: string, bucket: Timeseries['bucket']): string =>
  new Date(Date.parse(at) + milliseconds[bucket]).toISOString()
