import type { ExplorerReads } from '../../reads.ts'
import type { Timeseries } from '../../records.ts'
import { type BucketTotal, readHours } from '../../store/stats/read-hours.ts'
import { compareText } from '../compare-text.ts'
import type { ReadDeps } from '../deps.ts'
import { assetTotal, timeOf } from './aggregate.ts'

const hoursOf = { hour: 1, day: 24 } as const
const SECONDS_AN_HOUR = 3_600

/** Payments by hour or by day of UTC, up to the present one. */
export async function timeseriesOf(
  { db, clock }: ReadDeps,
  options: Parameters<ExplorerReads['timeseries']>[0],
): Promise<Timeseries> {
  const { bucket, count, ...filters } = options
  const hoursABucket = hoursOf[bucket]
  const present = Math.floor(clock.now() / (hoursABucket * SECONDS_AN_HOUR * 1_000))
  const first = present - count + 1
  const totals = await readHours(db, {
    ...filters,
    from: first * hoursABucket,
    hours: count * hoursABucket,
    hoursABucket,
  })
  const byBucket = Map.groupBy(totals, (total) => total.bucket)
  return {
    bucket,
    points: Array.from({ length: count }, (_, at) => ({
      at: timeOf((first + at) * hoursABucket * SECONDS_AN_HOUR),
      ...point(byBucket.get(first + at) ?? []),
    })),
  }
}

function point(totals: readonly BucketTotal[]): Omit<Timeseries['points'][number], 'at'> {
  const sum = (some: readonly BucketTotal[]) =>
    some.reduce((payments, total) => payments + total.payments, 0)
  const confidence = (name: BucketTotal['confidence']) =>
    sum(totals.filter((total) => total.confidence === name))
  const byAsset = Map.groupBy(totals, ({ asset }) => asset?.contract)
  return {
    payments: sum(totals),
    byConfidence: {
      svc: confidence('svc'),
      'verified-facilitator': confidence('verified-facilitator'),
      'x402-shaped': confidence('x402-shaped'),
    },
    volume: [...byAsset.values()]
      .flatMap((some) => {
        const [first] = some
        const amount = some.reduce((total, each) => total + BigInt(each.amount), 0n)
        return first?.asset
          ? assetTotal({ asset: first.asset, payments: sum(some), amount: String(amount) })
          : []
      })
      .sort((a, b) => b.count - a.count || compareText(a.assetContract, b.assetContract)),
  }
}
