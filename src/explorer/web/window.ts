import type { Timeseries } from '../records.ts'
import { type Window, windows } from '../store/tables.ts'
import type { Choice } from './components/choice.ts'
import { PageRefusal } from './page.ts'

/** A trailing window, or everything that was observed. */
export type Span = Window | 'all'
const spans: readonly Span[] = [...windows, 'all']

/** Reads the parameter `window`. Throws `PageRefusal` for one that there is not. */
export function readSpan(text: string | undefined, byDefault: Span): Span {
  if (text === undefined) return byDefault
  const span = spans.find((each) => each === text)
  if (span !== undefined) return span
  throw new PageRefusal(
    400,
    'Unknown window',
    `The window must be one of ${spans.join(', ')}. Choose one on the page.`,
    'window',
  )
}

/** The window in words, to follow a noun: `Payments, last 7 days`. */
export const spanWords: Readonly<Record<Span, string>> = {
  '24h': 'last 24 hours',
  '7d': 'last 7 days',
  '30d': 'last 30 days',
  all: 'all time',
}

export const spanChoices = (chosen: Span, hrefOf: (span: Span) => string): readonly Choice[] =>
  spans.map((span) => ({
    label: span === 'all' ? 'All' : span,
    href: hrefOf(span),
    isChosen: span === chosen,
  }))

/**
 * The buckets of a chart that covers a window; of everything, the newest 90 days. A window of hours begins at a full hour,
 * so it has one bucket more, and the chart counts what the headline counts.
 */
export const bucketsOf: Readonly<
  Record<Span, { readonly bucket: 'hour' | 'day'; readonly count: number }>
> = {
  '24h': { bucket: 'hour', count: 25 },
  '7d': { bucket: 'hour', count: 169 },
  '30d': { bucket: 'day', count: 30 },
  all: { bucket: 'day', count: 90 },
}

/**
 * The period of a chart in words, to follow a noun. A chart of days begins at midnight and not where the window does, so it
 * names its first day.
 */
export const chartWords = ({ bucket, points }: Timeseries, span: Span): string => {
  const [first] = points
  return bucket === 'day' && first ? `since ${first.at.slice(0, 10)}` : spanWords[span]
}
