import { asStroops } from '../../../src/core/stroops.ts'
import { RpcError, type SendOutcome, type TransactionStatus } from '../../../src/stellar/rpc.ts'
import type { RpcClient } from '../../../src/stellar/rpc-client.ts'

export const PASSPHRASE = 'A network'

type Asked = 'network' | 'tip' | 'simulate' | 'send' | 'transaction' | 'since' | 'entries' | 'fees'

/** An endpoint at a ledger of its own, which answers as a test says; keeps what it was asked. */
export class FakeEndpoint {
  ledger = 100
  /** Ledger n closed at 1,000 + 5n; a network that began anew adds to that. */
  beganAt = 1_000
  oldest = 2
  passphrase = PASSPHRASE
  /** What all or some questions fail with. */
  failure: RpcError | undefined
  readonly failures = new Map<Asked, RpcError[]>()
  sendStatus: SendOutcome['status'] = 'PENDING'
  readonly landed = new Map<string, number>()
  readonly asked: Asked[] = []

  readonly client: RpcClient = {
    passphrase: () => this.#answer('network', () => this.passphrase),
    latestLedger: () =>
      this.#answer('tip', () => ({ ...this.#tip, sequence: this.ledger, protocolVersion: 29 })),
    simulate: () =>
      this.#answer('simulate', () => ({
        kind: 'ok',
        latestLedger: this.ledger,
        minResourceFee: asStroops(1n),
        transactionData: '',
        events: [],
        needsRestore: false,
      })),
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
    accounts: () => Promise.reject(new Error('read as entries')),
    ledgerEntries: () =>
      this.#answer('entries', () => ({ latestLedger: this.ledger, entries: [] })),
    feeStats: () => Promise.reject(new Error('of no interest')),
  }

  get #tip() {
    return { closeTime: this.beganAt + 5 * this.ledger }
  }

  get #range() {
    return {
      latestLedger: this.ledger,
      latestCloseTime: this.#tip.closeTime,
      oldestLedger: this.oldest,
      oldestCloseTime: this.beganAt + 5 * this.oldest,
    }
  }

  #status(hash: string): TransactionStatus {
    const ledger = this.landed.get(hash)
    if (ledger === undefined) return { ...this.#range, status: 'NOT_FOUND' }
    const applied = { ledger, createdAt: 0, feeCharged: asStroops(1n), events: [] }
    return { ...this.#range, ...applied, status: 'SUCCESS' }
  }

  async #answer<T>(asked: Asked, answer: () => T): Promise<T> {
    this.asked.push(asked)
    const failure = this.failures.get(asked)?.shift() ?? this.failure
    if (failure) throw failure
    return answer()
  }

  /** What it was asked, other than which network it serves. */
  get work(): readonly Asked[] {
    return this.asked.filter((asked) => asked !== 'network')
  }
}

export const silence = (method = 'any') => new RpcError('transport', method, 'no answer')
