import type { FeedFilters } from '../../../src/explorer/reads.ts'
import { confidences } from '../../../src/explorer/store/tables.ts'
import { schemeNames } from '../../../src/payments/protocol/schemes.ts'
import { networkIds } from '../../../src/platform/core/caip2.ts'
import type { Population } from './population.ts'

export interface NamedFilters {
  readonly name: string
  readonly filters: FeedFilters
}

/** No filter, each filter, and every pair of two; of sellers and buyers the busiest, one of the middle and a rare one. */
export function feedPairs(population: Population): readonly NamedFilters[] {
  const single: NamedFilters[] = [
    ...networkIds.map((network) => ({ name: network, filters: { network } })),
    ...[0, 1].map((at) => ({ name: `asset ${at}`, filters: { asset: population.asset(at) } })),
    ...schemeNames.map((scheme) => ({ name: scheme, filters: { scheme } })),
    ...confidences.map((confidence) => ({ name: confidence, filters: { confidence } })),
    ...['own', 'third'].map((facilitator) => ({
      name: `facilitator ${facilitator}`,
      filters: { facilitator },
    })),
    ...places(population.sellers).map((at) => ({
      name: `seller ${at}`,
      filters: { seller: population.seller(at) },
    })),
    ...places(population.buyers).map((at) => ({
      name: `buyer ${at}`,
      filters: { buyer: population.buyer(at) },
    })),
  ]
  const pairs = single.flatMap((a, at) =>
    single.slice(at + 1).flatMap((b) => {
      const isSame = Object.keys(a.filters)[0] === Object.keys(b.filters)[0]
      const filters = { ...a.filters, ...b.filters }
      return isSame ? [] : [{ name: `${a.name}, ${b.name}`, filters }]
    }),
  )
  return [{ name: 'none', filters: {} }, ...single, ...pairs]
}

const places = (count: number): readonly number[] => [0, Math.floor(count / 10), count - 1]
