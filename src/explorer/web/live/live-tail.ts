import type { ExplorerReads, FeedFilters, FeedMarks } from '../../reads.ts'
import type { PaymentRecord } from '../../records.ts'
import { hasSeenAll } from './marks.ts'

/** Rows that a page shows at most: new ones above push the oldest out. */
export const MOST_LIVE_ROWS = 200

/** A browser that lost its connection for this long continues without loading its page again, unless payments are many. */
const KEPT_SECONDS = 300
const KEPT_PAYMENTS = 1_000
/** Payments of one read, and reads of one `advance`. Together they find `KEPT_PAYMENTS`; more would be dropped again. */
const READ_LIMIT = 100
const MAX_READS = 10

/**
 * The latest payments, of all networks, read once for all browsers that follow them: their number, their filters and the
 * places from which they continue make no difference to the store.
 */
export class LiveTail {
  readonly #reads: Pick<ExplorerReads, 'newPayments'>
  /** Every payment after `#from` and up to `#to`, oldest first. */
  #payments: readonly PaymentRecord[] = []
  #from: FeedMarks = {}
  #to: FeedMarks = {}

  constructor(reads: Pick<ExplorerReads, 'newPayments'>) {
    this.#reads = reads
  }

  /** Reads up to the present end. After a long pause it begins anew, shortly before that end. */
  async advance(): Promise<void> {
    const { marks: present } = await this.#reads.newPayments(undefined, 0)
    const recent = mapMarks(present, (end) => end - KEPT_SECONDS)
    if (!hasSeenAll(this.#to, recent)) this.#beginAt(recent)
    for (let reads = 0; !hasSeenAll(this.#to, present); reads += 1) {
      if (reads === MAX_READS) return this.#beginAt(present)
      this.#keep(await this.#reads.newPayments(this.#to, READ_LIMIT))
    }
  }

  /** Up to where it has been read: of one network, if the filters name one. */
  end({ network }: FeedFilters): FeedMarks {
    const end = network === undefined ? undefined : this.#to[network]
    if (network === undefined) return this.#to
    return end === undefined ? {} : { [network]: end }
  }

  /** The payments after the marks that the filters select, oldest first; undefined: some are not kept any more. */
  after(marks: FeedMarks, filters: FeedFilters): readonly PaymentRecord[] | undefined {
    if (!hasSeenAll(marks, this.#from, filters.network)) return undefined
    return this.#payments.filter(
      (payment) => closeOf(payment) > markOf(marks, payment) && isSelected(payment, filters),
    )
  }

  #beginAt(marks: FeedMarks): void {
    this.#payments = []
    this.#from = marks
    this.#to = marks
  }

  #keep({ items, marks }: Awaited<ReturnType<ExplorerReads['newPayments']>>): void {
    const all = [...this.#payments, ...items]
    const dropped = all.slice(0, Math.max(0, all.length - KEPT_PAYMENTS))
    const from: Record<string, number> = { ...marks, ...this.#from }
    for (const payment of dropped) from[payment.network] = closeOf(payment)
    this.#payments = all.slice(dropped.length)
    this.#from = from
    this.#to = marks
  }
}

const mapMarks = (marks: FeedMarks, change: (mark: number) => number): FeedMarks =>
  Object.fromEntries(Object.entries(marks).map(([network, mark]) => [network, change(mark)]))

/** Unix seconds, as the marks. */
const closeOf = ({ closedAt }: PaymentRecord): number => Date.parse(closedAt) / 1_000

const markOf = (marks: FeedMarks, { network }: PaymentRecord): number =>
  marks[network] ?? Number.NEGATIVE_INFINITY

const valuesOf = (
  payment: PaymentRecord,
): Readonly<Record<keyof FeedFilters, string | undefined>> => ({
  network: payment.network,
  asset: payment.assetContract,
  scheme: payment.scheme,
  seller: payment.seller,
  buyer: payment.buyer,
  facilitator: payment.facilitator?.id,
  confidence: payment.confidence,
})

function isSelected(payment: PaymentRecord, filters: FeedFilters): boolean {
  const values = valuesOf(payment)
  return Object.entries(filters).every(
    ([name, value]) => values[name as keyof FeedFilters] === value,
  )
}
