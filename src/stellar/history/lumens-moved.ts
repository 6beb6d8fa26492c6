/**
 * Sums the XLM that an account received and spent, by the events of the ledger: since CAP-67 classic operations and fees
 * emit them, too.
 */
import { Address, Asset } from '@stellar/stellar-sdk'
import type { LumensMoved, LumensQuery } from '../rpc/rpc.ts'
import type { CallRpc } from '../rpc/transport/json-rpc.ts'
import type { ScValue } from '../values/sc-value.ts'
import { amountOf, eventPages, symbolSegment, textOf } from './event-pages.ts'

/** Reads the events of these ledgers, oldest first. Throws `RpcError`, of kind `rejected` when a ledger is not retained. */
export async function lumensMoved(
  call: CallRpc,
  { account, passphrase, afterLedger, throughLedger }: LumensQuery,
  signal?: AbortSignal,
): Promise<LumensMoved> {
  const sums = new Sums(account)
  const query = { filter: filterOf(account, passphrase), afterLedger, throughLedger }
  let latestLedger = afterLedger
  for await (const page of eventPages(call, query, signal)) {
    latestLedger = page.latestLedger
    for (const { topics, value } of page.events) sums.add(topics, value)
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
      [symbolSegment('transfer'), address, '*', '*'],
      [symbolSegment('transfer'), '*', address, '*'],
      [symbolSegment('fee'), address],
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
