import type { SettleResponse } from '@x402/core/types'
import { sql } from 'kysely'
import { sellers } from '../../../src/buying/mcp/seller/sellers.ts'
import type { SellerAnswer } from '../../../src/buying/seller/seller-http.ts'
import { paymentIdentifierOf } from '../../../src/payments/protocol/payment-identifier.ts'
import { systemClock } from '../../../src/platform/core/time/clock.ts'
import { type Lane, pollUntil, withRetries } from '../crash-lane.ts'
import type { Fault } from './fault-proxy.ts'
import type { Journal } from './journal.ts'
import { argumentsOf, type Kind, PRICE, type Purchase, urlOf } from './settings.ts'
import type { Killed } from './world.ts'

/** What the buyers have, what the ledger has, and what the facilitator has recorded. */
export interface Count {
  /** Whether every purchase has its goods once and was paid once, and the facilitator's books are the ledger's. */
  readonly isClean: boolean
  readonly wanted: number
  /** Purchases of which the buyer holds the goods, each counted once. */
  readonly delivered: number
  /** Different payment ids, transactions and goods among them. */
  readonly ids: number
  readonly transactions: number
  readonly goods: number
  /** Transfers of the buyers to the seller on the ledger. */
  readonly debits: number
  /** Purchases without goods: given up by the buyer, or not over in time. */
  readonly lost: number
  /** Debits that no buyer's receipt names: for a purchase that was lost, or the second one for another. */
  readonly paidForNothing: number
  /** Receipts that no transfer of the price bears out. */
  readonly untrue: number
  /** Purchases whose payment, sent once more, is answered with other goods or another receipt than the buyer holds. */
  readonly otherGoods: number
  /** Transactions of settlements that the facilitator calls made, and that the ledger does not have, or the other way round. */
  readonly offBooks: number
  /** Settlements that did not end. */
  readonly unfinished: number
  readonly usage: { readonly counted: bigint; readonly made: bigint }
  readonly fees: { readonly counted: bigint; readonly charged: bigint }
  readonly faults: Readonly<Record<string, ReadonlyMap<Fault | 'none', number>>>
  readonly kills: ReadonlyMap<Killed, number>
  /** Of purchases without goods how the last try failed, and of payments that got another answer what that was. */
  readonly sayings: readonly string[]
}

interface Counted {
  readonly lane: Lane
  /** The last ledger without a purchase. */
  readonly before: number
  readonly journals: Readonly<Record<Kind, Journal>>
  readonly sellerUrl: string
  readonly payTo: string
  readonly faults: Count['faults']
  readonly kills: Count['kills']
}

const TIMEOUT_MS = 120_000
const AT_ONCE = 16
const SENDS = 20
const PAUSE_MS = 500

export async function countAll(counted: Counted): Promise<Count> {
  const { lane, before, payTo, journals, faults, kills } = counted
  const unfinished = await pollUntil(
    () => unfinishedOf(lane),
    (count) => count === 0,
    TIMEOUT_MS,
  )
  const kinds = ['http', 'mcp'] as const
  const held = kinds.flatMap((kind) => heldBy(kind, journals[kind]))
  const others = await askAgain(held, counted.sellerUrl)
  const transfers = lane.transfersAfter(before, 'all').filter(({ to }) => to === payTo)
  const paid = new Set(transfers.filter(({ amount }) => amount === PRICE).map(({ hash }) => hash))
  const hashes = new Set(held.map(({ receipt }) => decoded<SettleResponse>(receipt).transaction))
  const recorded = new Set(await recordedOf(lane))
  const made = new Set(transfers.map(({ hash }) => hash))
  const wanted = kinds.reduce((sum, kind) => sum + begunBy(journals[kind]).size, 0)
  const numbers = {
    wanted,
    delivered: held.length,
    ids: new Set(held.map(idOf)).size,
    transactions: hashes.size,
    goods: new Set(held.map(({ goods }) => goods)).size,
    debits: transfers.length,
    lost: wanted - held.length,
    paidForNothing: transfers.filter(({ hash }) => !hashes.has(hash)).length,
    untrue: [...hashes].filter((hash) => !paid.has(hash)).length,
    otherGoods: others.length,
    offBooks: difference(recorded, made).size + difference(made, recorded).size,
    unfinished,
    usage: {
      counted: await usageOf(lane),
      made: transfers.reduce((sum, { amount }) => sum + amount, 0n),
    },
    fees: await lane.spent(),
    faults,
    kills,
    sayings: [
      ...others,
      ...kinds.flatMap((kind) => {
        const has = new Set(held.flatMap((each) => (each.kind === kind ? [each.n] : [])))
        return [...begunBy(journals[kind])]
          .filter((n) => !has.has(n))
          .map((n) => `${kind} ${n}: ${journals[kind].readNote(n)}`)
      }),
    ],
  }
  return { ...numbers, isClean: isClean(numbers) }
}

function isClean(count: Omit<Count, 'isClean'>): boolean {
  const { wanted, delivered, ids, transactions, goods, debits } = count
  const { lost, paidForNothing, untrue, otherGoods, offBooks, unfinished, usage, fees } = count
  return (
    [delivered, ids, transactions, goods, debits].every((each) => each === wanted) &&
    [lost, paidForNothing, untrue, otherGoods, offBooks, unfinished].every((each) => each === 0) &&
    usage.counted === usage.made &&
    fees.counted === fees.charged
  )
}

const difference = (one: ReadonlySet<string>, other: ReadonlySet<string>) =>
  new Set([...one].filter((each) => !other.has(each)))

interface Held extends Purchase {
  readonly kind: Kind
}

const begunBy = (journal: Journal): ReadonlySet<number> => new Set(journal.read().map(({ n }) => n))

/** Each once, also those that were written twice. */
function heldBy(kind: Kind, journal: Journal): Held[] {
  const entries = journal.read().flatMap((entry) => ('goods' in entry ? [entry] : []))
  const byNumber = new Map(entries.map((entry) => [entry.n, { ...entry, kind }]))
  return [...byNumber.values()]
}

const decoded = <T>(header: string): T => JSON.parse(Buffer.from(header, 'base64').toString())

function idOf({ payment, kind, n }: Held): string {
  const id = paymentIdentifierOf(decoded<{ extensions?: unknown }>(payment).extensions)
  if (id.kind !== 'given') throw new Error(`${kind} ${n} was bought without an id`)
  return id.id
}

/** Sends each payment once more. @returns the answers that differ */
async function askAgain(held: readonly Held[], sellerUrl: string): Promise<readonly string[]> {
  await using http = sellers()
  const waiting = held.values()
  const others: string[] = []
  const ask = async ({ kind, n, payment, receipt, goods }: Held) => {
    const headers = new Headers({ 'payment-signature': payment })
    const call = { url: urlOf(kind, sellerUrl, n), headers }
    const asked = kind === 'mcp' ? { ...call, method: 'tools/call', body: argumentsOf(n) } : call
    const answer = await untilAnswered(() =>
      http.send(asked, { timeLimitMs: TIMEOUT_MS, maxBytes: 1_000_000 }),
    )
    const body = Buffer.from(answer.body).toString()
    const said = answer.headers.get('payment-response')
    if (body === goods && said === receipt) return
    others.push(`${kind} ${n} again: ${answer.status} ${body}, receipt ${said}, not ${receipt}`)
  }
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const each of waiting) await ask(each)
    }),
  )
  return others
}

/**
 * The last kill may have been a moment ago: its connections end while a request is sent. On a busy machine the store may be late, and the
 * seller then asks for the same request again.
 */
async function untilAnswered(send: () => Promise<SellerAnswer>): Promise<SellerAnswer> {
  for (let left = SENDS; ; left--) {
    try {
      const answer = await send()
      if (!saysLater(answer)) return answer
      throw new Error(`it answers ${Buffer.from(answer.body)}`)
    } catch (error) {
      if (left === 0) throw error
      await systemClock.sleep(PAUSE_MS)
    }
  }
}

const saysLater = ({ status, body }: SellerAnswer): boolean =>
  status === 503 ||
  (status === 402 &&
    /"error":"(payment_in_progress|delivery_store_unavailable)"/.test(String(Buffer.from(body))))

const unfinishedOf = ({ store }: Lane): Promise<number> =>
  withRetries(async () => {
    const query = sql<{ count: number }>`
      select count(*)::integer as count from settlements where state in ('claimed', 'submitted')`
    return (await query.execute(store.db)).rows[0]?.count ?? -1
  })

const recordedOf = ({ store }: Lane): Promise<string[]> =>
  withRetries(async () => {
    const query = sql<{ hash: string }>`
      select tx_hash as hash from settlements where state = 'succeeded'`
    return (await query.execute(store.db)).rows.map(({ hash }) => hash)
  })

/** What was settled, as the counts of usage have it. */
const usageOf = ({ store }: Lane): Promise<bigint> =>
  withRetries(async () => {
    const query = sql<{ amount: string }>`
      select coalesce(sum(settled_amount), 0)::text as amount from usage_counts where operation = 'settle'`
    return BigInt((await query.execute(store.db)).rows[0]?.amount ?? -1n)
  })
