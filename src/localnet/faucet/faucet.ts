/** Takes requests for gifts, turns them into unsigned envelopes for one ledger, and tells how it went. */
import { randomBytes } from 'node:crypto'
import { StrKey } from '@stellar/stellar-sdk'
import { messageOf } from '../../core/error-message.ts'
import type { AppliedTransaction, ClosedLedger } from '../history.ts'
import type { AccountId } from '../ledger/account-id.ts'
import { requireAccount } from '../ledger/typed-entries.ts'
import { decodeEnvelope, type Envelope } from '../transactions/envelope.ts'
import {
  type FaucetContext,
  FaucetFailure,
  type FaucetRequest,
  faucetEnvelope,
  faucetTransaction,
  type PendingRequest,
} from './transaction.ts'

export class Faucet {
  readonly #friendbot: AccountId
  #waiting: PendingRequest[] = []
  /** By the hash of the transaction that was written for them. */
  readonly #written = new Map<string, readonly PendingRequest[]>()

  constructor(friendbot: AccountId) {
    this.#friendbot = friendbot
  }

  ask(request: FaucetRequest): Promise<AppliedTransaction> {
    const { promise, resolve, reject } = Promise.withResolvers<AppliedTransaction>()
    this.#waiting.push({ request, resolve, reject })
    return promise
  }

  /** Envelopes for everything asked so far; a request that cannot be met is refused at once. */
  write(context: Omit<FaucetContext, 'friendbot' | 'seed'>): Envelope[] {
    const groups = groupByReceiver(this.#waiting)
    this.#waiting = []
    let { sequence } = requireAccount(context.view, this.#friendbot)
    return groups.flatMap((tickets) => {
      const envelope = this.#envelope(tickets, { context, sequence: sequence + 1n })
      if (!envelope) return []
      sequence += 1n
      this.#written.set(envelope.hash, tickets)
      return [envelope]
    })
  }

  /** Answers those whose gifts `ledger` holds; the others will never come. */
  settle(ledger: ClosedLedger): void {
    for (const transaction of ledger.transactions) {
      for (const { resolve, reject } of this.#written.get(transaction.hash) ?? []) {
        if (transaction.successful) resolve(transaction)
        else reject(new FaucetFailure(`the gift failed: transaction ${transaction.hash}`))
      }
      this.#written.delete(transaction.hash)
    }
  }

  /** Refuses what was written for a ledger that did not come to be. */
  abandon(cause: unknown): void {
    for (const { reject } of [...this.#written.values()].flat()) {
      reject(new FaucetFailure('the ledger did not close', { cause }))
    }
    this.#written.clear()
  }

  #envelope(
    tickets: readonly PendingRequest[],
    { context, sequence }: { context: Omit<FaucetContext, 'friendbot' | 'seed'>; sequence: bigint },
  ): Envelope | undefined {
    try {
      const gift = faucetTransaction(
        tickets.map(({ request }) => request),
        { ...context, friendbot: this.#friendbot, seed: randomBytes(32) },
      )
      return decodeEnvelope(faucetEnvelope(gift, this.#friendbot, sequence), {
        networkId: context.ledger.networkId,
        trusted: true,
      })
    } catch (cause) {
      const message = messageOf(cause)
      for (const { reject } of tickets) reject(new FaucetFailure(message, { cause }))
      return undefined
    }
  }
}

/**
 * An account is given everything in one transaction. Contracts come last: Soroban transactions are
 * applied after classic ones, and friendbot's sequence numbers must come in that order.
 */
function groupByReceiver(tickets: readonly PendingRequest[]): PendingRequest[][] {
  const accounts = new Map<string, PendingRequest[]>()
  const contracts: PendingRequest[][] = []
  for (const ticket of tickets) {
    const { address } = ticket.request
    const group = accounts.get(address)
    if (StrKey.isValidContract(address)) contracts.push([ticket])
    else if (group) group.push(ticket)
    else accounts.set(address, [ticket])
  }
  return [...accounts.values(), ...contracts]
}
