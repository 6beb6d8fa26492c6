import { xdr } from '@stellar/stellar-sdk'
import { z } from 'zod'
import { RpcError } from '../rpc/rpc.ts'
import type { CallRpc } from '../rpc/transport/json-rpc.ts'
import { readScValue } from '../values/read-sc-value.ts'
import type { ScValue } from '../values/sc-value.ts'

/** Events requested per page; an endpoint may return fewer. The limit of `getEvents` is ten times as much. */
const PAGE_SIZE = 1_000
/** Stellar RPC searches as many ledgers for one answer. */
const LEDGERS_PER_SEARCH = 10_000

const eventsAnswer = z.object({
  latestLedger: z.number(),
  cursor: z.string().optional(),
  events: z.array(
    z.object({
      ledger: z.number(),
      txHash: z.string(),
      topic: z.array(z.string()),
      value: z.string(),
    }),
  ),
})

export interface EventQuery {
  /** A filter of `getEvents`. */
  readonly filter: Readonly<Record<string, unknown>>
  readonly afterLedger: number
  readonly throughLedger: number
}

interface TransactionEvent {
  readonly ledger: number
  /** 64 hex digits. */
  readonly transaction: string
  readonly topics: readonly ScValue[]
  readonly value: ScValue
}

interface EventPage {
  readonly events: readonly TransactionEvent[]
  /** The latest ledger that the endpoint knew when it answered. */
  readonly latestLedger: number
}

/** Events of these ledgers, oldest first. Throws `RpcError`, of kind `rejected` when a ledger is not retained. */
export async function* eventPages(
  call: CallRpc,
  { filter, afterLedger, throughLedger }: EventQuery,
  signal?: AbortSignal,
): AsyncGenerator<EventPage> {
  for (let from = afterLedger + 1, cursor: string | undefined; from <= throughLedger; ) {
    const start = cursor === undefined ? { startLedger: from } : {}
    const pagination = { limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) }
    const asked = { ...start, filters: [filter], pagination }
    const page = await call('getEvents', asked, eventsAnswer, signal)
    const events = page.events.filter(({ ledger }) => ledger <= throughLedger).map(readEvent)
    yield { events, latestLedger: page.latestLedger }
    const last = page.events.at(-1)
    // An endpoint may cut a page below the limit: only one without events is the last one.
    if (last && (page.cursor === undefined || page.cursor === cursor)) {
      throw new RpcError('unreadable', 'getEvents', 'events without the cursor after them')
    }
    cursor = last ? page.cursor : undefined
    from = last ? last.ledger : from + LEDGERS_PER_SEARCH
  }
}

const readEvent = ({
  ledger,
  txHash,
  topic,
  value,
}: z.output<typeof eventsAnswer>['events'][number]): TransactionEvent => ({
  ledger,
  transaction: txHash,
  topics: topic.map(read),
  value: read(value),
})

const read = (base64: string): ScValue => readScValue(xdr.ScVal.fromXdr(base64, 'base64'))

/** A segment of a topic filter. */
export const symbolSegment = (name: string): string => xdr.ScVal.scvSymbol(name).toXdr('base64')

export const textOf = (value: ScValue | undefined): string =>
  value?.type === 'symbol' || value?.type === 'address' ? value.value : ''

/** The amount in a `transfer` or `fee`: with a memo or a muxed receiver it is a member of a map. Throws RangeError. */
export function amountOf(value: ScValue): bigint {
  if (value.type === 'i128') return value.value
  const amount = memberOf(value, 'amount')
  if (amount?.type !== 'i128') throw new RangeError('an event of a token without an amount')
  return amount.value
}

/** The id of the muxed receiver in a `transfer` (CAP-67). In a classic payment that member may be a memo: text or bytes. */
export function receiverIdOf(value: ScValue): bigint | undefined {
  const id = memberOf(value, 'to_muxed_id')
  return id?.type === 'u64' ? id.value : undefined
}

const memberOf = (value: ScValue, name: string): ScValue | undefined =>
  value.type === 'map' ? value.entries.find(([key]) => textOf(key) === name)?.[1] : undefined
