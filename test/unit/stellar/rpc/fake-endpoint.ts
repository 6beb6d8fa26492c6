import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import type { RawTransaction } from '../../../../src/stellar/rpc/pages/transaction-pages.ts'
import {
  RpcError,
  type SendOutcome,
  type Simulation,
  type TransactionStatus,
} from '../../../../src/stellar/rpc/rpc.ts'
import type { RpcClient } from '../../../../src/stellar/rpc/rpc-client.ts'

export const PASSPHRASE = 'A network'

type Method =
  | 'network'
  | 'tip'
  | 'simulate'
  | 'send'
  | 'transaction'
  | 'since'
  | 'page'
  | 'entries'
  | 'fees'

/** An endpoint with its own latest ledger; a test sets its answers, and it records the requests. */
export class FakeEndpoint {
  ledger = 100
  /** Ledger n closes at `startedAt` + 5n; a network reset raises it. */
  startedAt = 1_000
  oldest = 2
  passphrase = PASSPHRASE
  /** Fails every request; `failures` fails some. */
  failure: RpcError | undefined
  readonly failures = new Map<Method, RpcError[]>()
  /** Answers wait for it. */
  waitFor: Promise<void> | undefined
  sendStatus: SendOutcome['status'] = 'PENDING'
  /** Instead of a successful simulation; `latestLedger` is that of the endpoint unless it has one. */
  simulation: Partial<Simulation> = {}
  listed: readonly RawTransaction[] = []
  readonly landed = new Map<string, number>()
  readonly requests: Method[] = []

  readonly client: RpcClient = {
    passphrase: () => this.#answer('network', () => this.passphrase),
    latestLedger: () =>
      this.#answer('tip', () => ({ ...this.#tip, sequence: this.ledger, protocolVersion: 29 })),
    simulate: () =>
      this.#answer(
        'simulate',
        () =>
          ({
            kind: 'ok',
            latestLedger: this.ledger,
            minResourceFee: asStroops(1n),
            transactionData: '',
            events: [],
            output: { emittedBytes: 0, dataEntryBytes: 0, codeEntryBytes: 0 },
            needsRestore: false,
            ...this.simulation,
          }) as Simulation,
      ),
    send: () =>
      this.#answer('send', () => ({
        status: this.sendStatus,
        hash: 'hash',
        ...this.#range,
        events: [],
        ...(this.sendStatus === 'ERROR' && { resultCode: 'txBadSeq' }),
      })),
    transaction: (hash) => this.#answer('transaction', () => this.#status(hash)),
    transactionsSince: () =>
      this.#answer('since', () => ({
        ...this.#range,
        throughLedger: this.ledger,
        found: new Map(),
      })),
    transactionsPage: () =>
      this.#answer('page', () => ({
        ...this.#range,
        transactions: this.listed,
        cursor: '0',
        completeThrough: this.ledger,
      })),
    accounts: () => Promise.reject(new Error('read as entries')),
    ledgerEntries: () =>
      this.#answer('entries', () => ({ latestLedger: this.ledger, entries: [] })),
    feeStats: () => Promise.reject(new Error('not used by any test')),
    lumensMoved: () => Promise.reject(new Error('not used by any test')),
    madeTransfer: () => Promise.reject(new Error('not used by any test')),
  }

  get #tip() {
    return { closeTime: this.startedAt + 5 * this.ledger }
  }

  get #range() {
    return {
      latestLedger: this.ledger,
      latestCloseTime: this.#tip.closeTime,
      oldestLedger: this.oldest,
      oldestCloseTime: this.startedAt + 5 * this.oldest,
    }
  }

  #status(hash: string): TransactionStatus {
    const ledger = this.landed.get(hash)
    if (ledger === undefined) return { ...this.#range, status: 'NOT_FOUND' }
    const applied = { ledger, createdAt: 0, feeCharged: asStroops(1n), events: [] }
    return { ...this.#range, ...applied, status: 'SUCCESS' }
  }

  async #answer<T>(method: Method, answer: () => T): Promise<T> {
    this.requests.push(method)
    const failure = this.failures.get(method)?.shift() ?? this.failure
    if (failure) throw failure
    const answered = answer()
    await this.waitFor
    return answered
  }

  /** All requests but those for its network. */
  get work(): readonly Method[] {
    return this.requests.filter((method) => method !== 'network')
  }
}

export const noAnswer = (method = 'any') => new RpcError('transport', method, 'no answer')
