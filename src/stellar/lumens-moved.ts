/**
 * What came to an account and left it, in XLM, by the events of the ledger: since CAP-67 classic operations and fees emit them, too.
 */
import { Address, Asset, xdr } from '@stellar/stellar-sdk'
import { z } from 'zod'
import type { CallRpc } from './json-rpc.ts'
import { readScValue } from './read-sc-value.ts'
import type { LumensMoved, LumensQuery } from './rpc.ts'
import type { ScValue } from './sc-value.ts'

/** Limit of `getEvents` is ten times as much. */
const PAGE_SIZE = 1_000
/** Stellar RPC searches as many ledgers for one answer. */
const LEDGERS_PER_SEARCH = 10_000

const eventsAnswer = z.object({
  latestLedger: z.number(),
  cursor: z.string().optional(),
  events: z.array(z.object({ ledger: z.number(), topic: z.array(z.string()), value: z.string() })),
})

const symbol = (name: string): string => xdr.ScVal.scvSymbol(name).toXdr('base64')
const read = (base64: string): ScValue => readScValue(xdr.ScVal.fromXdr(base64, 'base64'))

/** Reads the events of these ledgers, oldest first. Throws `RpcError`, of kind `rejected` when a ledger is not retained. */
export async function lumensMoved(
  call: CallRpc,
  { account, passphrase, afterLedger, throughLedger }: LumensQuery,
  signal?: AbortSignal,
): Promise<LumensMoved> {
  const sums = new Sums(account)
  const filters = [filterOf(account, passphrase)]
  let latestLedger = afterLedger
  for (let from = afterLedger + 1, cursor: string | undefined; from <= throughLedger; ) {
    const start = cursor === undefined ? { startLedger: from } : {}
    const pagination = { limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) }
    const page = await call('getEvents', { ...start, filters, pagination }, eventsAnswer, signal)
    latestLedger = page.latestLedger
    for (const { ledger, topic, value } of page.events) {
      if (ledger <= throughLedger) sums.add(topic.map(read), read(value))
    }
    const isFull = page.events.length === PAGE_SIZE && page.cursor !== undefined
    cursor = isFull ? page.cursor : undefined
    from = isFull ? (page.events.at(-1)?.ledger ?? from) : from + LEDGERS_PER_SEARCH
  }
  const { received, sent, fees } = sums
  return { received, sent, fees, latestLedger }
}

/** Events of the contract of XLM that name the account. */
const filterOf = (account: string, passphrase: string) => {
  const address = Address.fromString(account).toScVal().toXdr('base64')
  return {
    type: 'contract',
    contractIds: [Asset.native().contractId(passphrase)],
    topics: [
      [symbol('transfer'), address, '*', '*'],
      [symbol('transfer'), '*', address, '*'],
      [symbol('fee'), address],
    ],
  }
}

class Sums {
  readonly received = new Map<string, bigint>()
  readonly sent = new Map<string, bigint>()
  fees = 0n
  readonly #account: string

  constructor(account: string) {
    this.#account = account
  }

  add([kind, one, other]: readonly ScValue[], value: ScValue): void {
    const amount = amountOf(value)
    // A refund is a negative fee.
    if (textOf(kind) === 'fee') this.fees += amount
    else {
      const [from, to] = [textOf(one), textOf(other)]
      if (from === this.#account) this.sent.set(to, (this.sent.get(to) ?? 0n) + amount)
      if (to === this.#account) this.received.set(from, (this.received.get(from) ?? 0n) + amount)
    }
  }
}

const textOf = (value: ScValue | undefined): string =>
  value?.type === 'symbol' || value?.type === 'address' ? value.value : ''

/** With a memo or a muxed receiver the amount is a member of a map. */
function amountOf(value: ScValue): bigint {
  if (value.type === 'i128') return value.value
  const entries = value.type === 'map' ? value.entries : []
  const amount = entries.find(([key]) => textOf(key) === 'amount')?.[1]
  if (amount?.type !== 'i128') throw new RangeError('an event of XLM without an amount')
  return amount.value
}
