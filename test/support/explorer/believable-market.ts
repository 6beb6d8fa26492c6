import type { PaymentRow } from '../../../src/explorer/store/ingest/write-ledgers.ts'
import { type NetworkId, usdcContracts, usdcIssuers } from '../../../src/platform/core/caip2.ts'
import { seededRandom } from '../crash-random.ts'
import { accountOf, contractOf, txHashOf } from './addresses.ts'

/** What a store of the explorer is filled with. */
export interface Market {
  readonly network: NetworkId
  readonly facilitators: readonly MarketFacilitator[]
  readonly services: readonly MarketService[]
  /** Oldest first. */
  readonly payments: readonly PaymentRow[]
}

interface MarketFacilitator {
  readonly id: string
  readonly displayName: string
  readonly source: 'own' | 'configured' | 'announced'
  readonly baseUrl?: string
  readonly signers: readonly string[]
}

interface MarketService {
  readonly payTo: string
  readonly serviceName: string
  readonly resource: string
  readonly description: string
}

interface MarketOptions {
  /** Unix seconds of the newest payment. */
  readonly now: number
  readonly payments: number
  /** Over how many days they are spread. @default 30 */
  readonly days?: number
  readonly seed?: number
  readonly network?: NetworkId
}

const facilitatorWords = [
  { id: 'svc', displayName: 'svc', source: 'own', share: 5 },
  { id: 'northwind', displayName: 'Northwind Pay', source: 'configured', share: 3 },
  { id: 'lumenrail', displayName: 'Lumenrail', source: 'announced', share: 2 },
  { id: 'stack-402', displayName: 'Stack 402', source: 'announced', share: 1 },
  { id: undefined, share: 1.5 },
] as const

/** Name, price in base units, and how much it is used. */
const serviceWords = [
  ['Tide Weather', 'Hourly forecasts by coordinates', 200_000n, 9],
  ['Parcel OCR', 'Reads shipping labels from photos', 1_500_000n, 6],
  ['Quorum Search', 'Web search for agents, with sources', 500_000n, 8],
  ['Atlas Geocoder', 'Addresses to coordinates and back', 100_000n, 5],
  ['Ledgerline FX', 'Exchange rates by the minute', 50_000n, 4],
  ['Birdsong ID', 'Names the bird in a recording', 4_000_000n, 2],
  ['Moss Image Studio', 'Pictures from a description', 12_000_000n, 3],
  ['Clause Check', 'Flags unusual clauses in contracts', 25_000_000n, 1],
  ['Polyglot', 'Translation between 60 languages', 300_000n, 4],
  ['Station Fuel Prices', 'Prices at 80,000 stations', 80_000n, 2],
  [undefined, '', 750_000n, 2],
  [undefined, '', 123_450n, 1],
] as const

const DAY = 86_400
/** Of the newest payment. */
const NEWEST_LEDGER = 2_400_000
const SECONDS_PER_LEDGER = 5

/** Payments that look like those of a small network, growing and by day more than by night. The same each time. */
export function believableMarket(options: MarketOptions): Market {
  const { now, payments: count, days = 30, seed = 402, network = 'stellar:testnet' } = options
  const random = seededRandom(seed)
  const usdc = {
    asset: usdcContracts[network],
    classic: { code: 'USDC', issuer: usdcIssuers[network] },
  }
  const credits = {
    asset: contractOf('credits'),
    classic: { code: 'CREDIT', issuer: accountOf('credits') },
  }
  const facilitators = facilitatorWords.flatMap((words) =>
    words.id === undefined ? [] : [facilitatorOf(words)],
  )
  const pick = picker(random)
  const times = Array.from({ length: count }, () => now - Math.floor(ageOf(random, days)))
  times.sort((a, b) => a - b)
  if (count > 0) times[count - 1] = now
  const payments = times.map((closedAt, index): PaymentRow => {
    const service = pick(serviceWords, ([, , , use]) => use)
    const { id } = pick(facilitatorWords, ({ share }) => share)
    const [, , price] = service
    const units = BigInt(1 + Math.floor(random() * random() * 6))
    const isUpto = random() < 0.12
    const seller = sellerOf(serviceWords.indexOf(service))
    // One in 150 pays itself.
    const buyer = random() < 0.007 ? seller : accountOf(`buyer ${buyerOf(random, index / count)}`)
    const known = id !== undefined
    const ledger = NEWEST_LEDGER - Math.floor((now - closedAt) / SECONDS_PER_LEDGER)
    return {
      scheme: isUpto ? 'upto' : 'exact',
      ledger,
      closedAt,
      txHash: txHashOf(`payment ${seed} ${index}`),
      buyer,
      seller,
      amount: isUpto
        ? (price * units * BigInt(40 + Math.floor(random() * 60))) / 100n
        : price * units,
      ...(isUpto && { ceiling: price * units }),
      ...(random() < 0.08 ? credits : usdc),
      txSource: known
        ? accountOf(`${id} channel ${Math.floor(random() * 3)}`)
        : accountOf(`someone ${index % 7}`),
      ...(known && { feeSource: accountOf(`${id} sponsor`) }),
      feeCharged: BigInt(45_000 + Math.floor(random() * 40_000)),
      sigExpirationLedger: ledger + 4 + Math.floor(random() * 60),
      ...(random() < 0.05 && { memo: `invoice ${1_000 + index}` }),
    }
  })
  const services = serviceWords.flatMap(([serviceName, description], index) =>
    serviceName === undefined ? [] : [serviceOf(serviceName, description, index)],
  )
  return { network, facilitators, services, payments }
}

const sellerOf = (index: number): string => accountOf(`seller ${index}`)

const serviceOf = (serviceName: string, description: string, index: number): MarketService => ({
  payTo: sellerOf(index),
  serviceName,
  resource: `https://api.example.com/${serviceName.toLowerCase().replaceAll(' ', '-')}`,
  description,
})

function facilitatorOf({
  id,
  displayName,
  source,
}: Extract<(typeof facilitatorWords)[number], { id: string }>): MarketFacilitator {
  const channels = [0, 1, 2].map((index) => accountOf(`${id} channel ${index}`))
  return {
    id,
    displayName,
    source,
    signers: [...channels, accountOf(`${id} sponsor`)],
    ...(source !== 'own' && { baseUrl: `https://${id}.example.com` }),
  }
}

/** Some buyers pay often, and new ones come all the time. @param progress from 0 for the oldest payment to 1 */
const buyerOf = (random: () => number, progress: number): number =>
  Math.floor(random() ** 1.5 * (40 + 160 * progress))

/** Seconds before now: more of late, and by day. */
function ageOf(random: () => number, days: number): number {
  for (;;) {
    const age = random() ** 1.4 * days * DAY
    const hourOfDay = (age / 3_600) % 24
    if (random() < 0.35 + 0.65 * Math.sin((hourOfDay / 24) * Math.PI)) return age
  }
}

const picker =
  (random: () => number) =>
  <T>(all: readonly T[], weightOf: (item: T) => number): T => {
    let left = random() * all.reduce((sum, item) => sum + weightOf(item), 0)
    for (const item of all) {
      left -= weightOf(item)
      if (left <= 0) return item
    }
    return all.at(-1)!
  }
