/** Collects faucet requests, writes their transactions for the next ledger, and resolves the requests. */
import { randomBytes } from 'node:crypto'
import { StrKey } from '@stellar/stellar-sdk'
import { messageOf } from '../../platform/core/text/error-message.ts'
import type { AppliedTransaction, ClosedLedger } from '../closing/history.ts'
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
  #pending: PendingRequest[] = []
  /** By transaction hash. */
  readonly #sent = new Map<string, readonly PendingRequest[]>()

  constructor(friendbot: AccountId) {
    this.#friendbot = friendbot
  }

  request(request: FaucetRequest): Promise<AppliedTransaction> {
    const { promise, resolve, reject } = Promise.withResolvers<AppliedTransaction>()
    this.#pending.push({ request, resolve, reject })
    return promise
  }

  /** Envelopes for all pending requests; rejects at once a request that cannot be paid. */
  envelopes(context: Omit<FaucetContext, 'friendbot' | 'seed'>): Envelope[] {
    const groups = groupByAddress(this.#pending)
    this.#pending = []
    let { sequence } = requireAccount(context.reader, this.#friendbot)
    return groups.flatMap((requests) => {
      const envelope = this.#envelope(requests, { context, sequence: sequence + 1n })
      if (!envelope) return []
      sequence += 1n
      this.#sent.set(envelope.hash, requests)
      return [envelope]
    })
  }

  /** Resolves or rejects the requests whose transactions are in `ledger`. */
  resolve(ledger: ClosedLedger): void {
    for (const transaction of ledger.transactions) {
      for (const { resolve, reject } of this.#sent.get(transaction.hash) ?? []) {
        if (transaction.successful) resolve(transaction)
        else reject(new FaucetFailure(`the payment failed: transaction ${transaction.hash}`))
      }
      this.#sent.delete(transaction.hash)
    }
  }

  /** For a ledger that did not close. */
  rejectAll(cause: unknown): void {
    for (const { reject } of [...this.#sent.values()].flat()) {
      reject(new FaucetFailure('the ledger did not close', { cause }))
    }
    this.#sent.clear()
  }

  #envelope(
    requests: readonly PendingRequest[],
    { context, sequence }: { context: Omit<FaucetContext, 'friendbot' | 'seed'>; sequence: bigint },
  ): Envelope | undefined {
    try {
      const body = faucetTransaction(
        requests.map(({ request }) => request),
        { ...context, friendbot: this.#friendbot, seed: randomBytes(32) },
      )
      return decodeEnvelope(faucetEnvelope(body, this.#friendbot, sequence), {
        networkId: context.ledger.networkId,
        trusted: true,
      })
    } catch (cause) {
      const message = messageOf(cause)
      for (const { reject } of requests) reject(new FaucetFailure(message, { cause }))
      return undefined
    }
  }
}

/**
 * One transaction for each account and for each request of a contract. Contracts come last: Soroban
 * transactions are applied after classic ones, and friendbot's sequence numbers must follow that order.
 */
function groupByAddress(requests: readonly PendingRequest[]): PendingRequest[][] {
  const accounts = new Map<string, PendingRequest[]>()
  const contracts: PendingRequest[][] = []
  for (const pending of requests) {
    const { address } = pending.request
    const group = accounts.get(address)
    if (StrKey.isValidContract(address)) contracts.push([pending])
    else if (group) group.push(pending)
    else accounts.set(address, [pending])
  }
  return [...accounts.values(), ...contracts]
}
