import { createHash } from 'node:crypto'
import { passphrases } from '../core/caip2.ts'
import { type Clock, systemClock } from '../core/clock.ts'
import { closeLedger } from './close-ledger.ts'
import { pause } from './event-loop.ts'
import { Faucet } from './faucet/faucet.ts'
import { checkRequest, type FaucetRequest } from './faucet/transaction.ts'
import { friendbotId, writeGenesis } from './genesis.ts'
import { type AppliedTransaction, type ClosedLedger, History, type LedgerFees } from './history.ts'
import { EntryStore, entryKey, LedgerTxn } from './ledger/entry-store.ts'
import type { ClosedHeader, LastClosedLedger } from './ledger/header.ts'
import { BASE_RESERVE } from './ledger/reserves.ts'
import type { LocalnetOptions } from './localnet-options.ts'
import type { NetworkLimits } from './network-limits.ts'
import { type NetworkSnapshot, requireSameNetwork } from './snapshot/snapshot.ts'
import { SorobanHost, type StoredEntry } from './soroban/host.ts'
import type { LedgerContext } from './soroban/ledger-context.ts'
import type { ApplyTtlOutput } from './soroban/ttl.ts'
import { earlyAnswer, refused, refusedFor, type SubmitResult } from './submit-result.ts'
import { checkValid, type ValidationContext } from './transactions/check-valid.ts'
import { decodeEnvelope, type Envelope } from './transactions/envelope.ts'
import { type EventFactory, eventFactory } from './transactions/events.ts'
import { minFee } from './transactions/fees.ts'
import { type LedgerLimits, ledgerLimits } from './transactions/ledger-resources.ts'
import type { MetaVersion } from './transactions/meta.ts'
import { NonRefundableFees } from './transactions/non-refundable-fees.ts'
import { extendTtl, HostLedgerReader } from './transactions/soroban-context.ts'
import { applySurgePricing } from './transactions/surge-pricing.ts'
import { TransactionQueue } from './transactions/transaction-queue.ts'
import { trimInvalid } from './transactions/trim-invalid.ts'

export type { FaucetRequest } from './faucet/transaction.ts'
export type { LocalnetOptions } from './localnet-options.ts'
export type { SubmitResult, SubmitStatus } from './submit-result.ts'

const A_DAY_OF_LEDGERS = 17_280
/** stellar-core refuses what would expire within two ledgers from now. */
const LEDGERS_TO_OUTLIVE = 2
const EXPECTED_CLOSE_SECONDS = 5
const MAX_OPERATIONS: Readonly<Record<NetworkLimits, number>> = { testnet: 100, none: 1_000_000 }

/** A Stellar network of one node, in this process. Nothing closes a ledger but `closeLedger`. */
export class Localnet {
  readonly passphrase: string
  /** SHA-256 of the passphrase. */
  readonly networkId: Uint8Array
  readonly host: SorobanHost
  readonly clock: Clock
  readonly #store = new EntryStore()
  readonly #hostLedger = new HostLedgerReader(this.#store)
  #queue: TransactionQueue
  readonly #faucet: Faucet
  readonly #costs: NonRefundableFees
  readonly #events: EventFactory
  readonly #options: LocalnetOptions
  #history: History
  readonly #expectedCloseSeconds: number
  readonly #log: (line: string) => void
  readonly #listeners = new Set<(ledger: ClosedLedger) => void>()
  #state: LastClosedLedger
  #closing: Promise<unknown> = Promise.resolve()

  constructor(options: LocalnetOptions = {}) {
    this.passphrase = options.passphrase ?? passphrases['stellar:testnet']
    this.networkId = createHash('sha256').update(this.passphrase).digest()
    this.clock = options.clock ?? systemClock
    this.#options = options
    this.#expectedCloseSeconds = options.expectedCloseSeconds ?? EXPECTED_CLOSE_SECONDS
    this.#log = options.log ?? (() => {})
    this.host = SorobanHost.load(this.#hostLedger.getEntry, this.#log)
    this.#costs = new NonRefundableFees(this.host)
    this.#events = eventFactory(this.passphrase)
    this.#faucet = new Faucet(friendbotId(this.networkId))
    this.#queue = new TransactionQueue(this.#room)
    const start = options.snapshot ?? this.#genesis()
    this.#history = this.#adopt(start)
    this.#state = start.state
  }

  get metaVersion(): MetaVersion {
    return this.#options.metaVersion ?? 4
  }

  get limits(): NetworkLimits {
    return this.#options.limits ?? 'testnet'
  }

  /** Operations of classic transactions that a ledger takes. */
  get maxOperations(): number {
    return this.#options.maxOperations ?? MAX_OPERATIONS[this.limits]
  }

  get #room(): LedgerLimits {
    return ledgerLimits(this.limits, this.maxOperations)
  }

  get latest(): ClosedLedger {
    return this.#history.latest
  }

  /** The oldest ledger still kept. */
  get oldest(): ClosedLedger {
    return this.#history.oldest
  }

  ledger(sequence: number): ClosedLedger | undefined {
    return this.#history.ledger(sequence)
  }

  /** By the hash (hex) of an envelope or of the transaction inside a fee bump. */
  transaction(hash: string): AppliedTransaction | undefined {
    return this.#history.transaction(hash)
  }

  /** The ledger entry under a LedgerKey XDR, as the last closed ledger left it; expired ones too. */
  entry(keyXdr: Uint8Array): StoredEntry | undefined {
    return this.#store.get(entryKey(keyXdr))
  }

  /** Runs one synchronous call of the host as it would be after a restoration. */
  asIfRestored<T>(restoration: ApplyTtlOutput, call: () => T): T {
    const view = new LedgerTxn(this.#store)
    const ledger = this.latest.sequence
    const changes = restoration.outcome === 'success' ? restoration.changes : []
    for (const { key, newLiveUntil } of changes) {
      extendTtl(view, { key: entryKey(key), liveUntil: newLiveUntil, ledger })
    }
    return this.#hostLedger.within(view, call)
  }

  /** Takes a transaction for the next ledger. Throws an error when the bytes are no TransactionEnvelope. */
  submit(envelopeXdr: Uint8Array): SubmitResult {
    const envelope = decodeEnvelope(envelopeXdr, { networkId: this.networkId })
    const admission = this.#queue.admission(envelope)
    const early = earlyAnswer(envelope, admission)
    if (early) return early
    const refusal = checkValid(envelope, this.#validationNow())
    if (refusal) return refused(envelope, refusal)
    if (!this.#queue.canPay(this.#store, envelope)) {
      return refusedFor(envelope, 'txInsufficientBalance', minFee(envelope))
    }
    this.#queue.add(envelope)
    return { status: 'PENDING', hash: envelope.hash }
  }

  /** Applies what waits, as far as it fits; the ledger advances with an empty queue too. Calls queue up. */
  closeLedger(): Promise<ClosedLedger> {
    return this.#inTurn(() => this.#close())
  }

  /** One at a time: whatever changes the ledger, or reads it as a whole. */
  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const done = this.#closing.then(task)
    this.#closing = done.catch(() => undefined)
    return done
  }

  /** The network as the last closed ledger left it; waits for a ledger in the making. */
  snapshot(): Promise<NetworkSnapshot> {
    return this.#inTurn(async () => ({
      passphrase: this.passphrase,
      protocol: this.host.protocol,
      limits: this.limits,
      state: this.#state,
      entries: this.#store.entries(),
      ledgers: this.#history.ledgers,
    }))
  }

  /**
   * Goes back (or forth) to a snapshot, history included, and forgets what waits for a ledger. Rejects
   * with SnapshotMismatch when another kind of network made it.
   */
  restore(snapshot: NetworkSnapshot): Promise<void> {
    return this.#inTurn(async () => this.#startFrom(snapshot))
  }

  /** Begins anew with a genesis of now. */
  reset(): Promise<void> {
    return this.#inTurn(async () => this.#startFrom(this.#genesis()))
  }

  /**
   * Pays in the next ledger, and resolves when that has closed. Makes the account (with 10,000 XLM
   * unless lumens are what is asked for) and its trustline where they are missing. Rejects with
   * FaucetFailure when the payment fails, with RangeError when the request makes no sense.
   */
  async faucet(request: FaucetRequest): Promise<AppliedTransaction> {
    checkRequest(request)
    return await this.#faucet.ask(request)
  }

  /** Inclusion fees of the retained ledgers, newest first, at most `ledgers` of them. */
  recentFees(ledgers: number): readonly LedgerFees[] {
    const oldest = Math.max(this.oldest.sequence, this.latest.sequence - ledgers + 1)
    const fees: LedgerFees[] = []
    for (let sequence = this.latest.sequence; sequence >= oldest; sequence--) {
      const ledger = this.ledger(sequence)
      if (ledger) fees.push(ledger.fees)
    }
    return fees
  }

  /** Calls after each close, in order; returns the way to stop. */
  onClose(listener: (ledger: ClosedLedger) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Fills the store, which must not be asked for anything else meanwhile. */
  #genesis(): NetworkSnapshot {
    const { passphrase, limits } = this
    this.#store.replaceAll([])
    const genesis = writeGenesis(this.#store, this.host, {
      networkId: this.networkId,
      closeTime: this.#now(),
      limits,
      lifetimes: this.#options.lifetimes,
      maxOperations: this.maxOperations,
    })
    const fees = { classic: [], soroban: [] }
    const first = closedLedger(genesis, { transactions: [], fees, evictedKeys: [] })
    const { protocol } = this.host
    const entries = this.#store.entries()
    return { passphrase, protocol, limits, state: genesis.state, entries, ledgers: [first] }
  }

  #startFrom(snapshot: NetworkSnapshot): void {
    this.#history = this.#adopt(snapshot)
    this.#state = snapshot.state
    this.#queue = new TransactionQueue(this.#room)
  }

  /** Takes the snapshot's entries into the store, and makes its history. */
  #adopt(snapshot: NetworkSnapshot): History {
    const { passphrase, limits, host } = this
    requireSameNetwork(snapshot, { passphrase, protocol: host.protocol, limits })
    const retained = this.#options.retainLedgers ?? A_DAY_OF_LEDGERS
    const history = History.of(snapshot.ledgers, retained)
    this.#store.replaceAll(snapshot.entries)
    return history
  }

  async #close(): Promise<ClosedLedger> {
    const ledger = this.#next()
    const waiting = this.#queue.beginClosing()
    let included: readonly Envelope[] = []
    try {
      const valid = await this.#trimInvalid(waiting, this.#validationIn(ledger))
      await pause()
      const selection = applySurgePricing(valid, this.#room)
      const gifts = this.#faucet.write({
        view: this.#store,
        ledger,
        host: this.host,
        passphrase: this.passphrase,
      })
      const { sealed, ...content } = await closeLedger({
        store: this.#store,
        previous: this.#state,
        metaVersion: this.metaVersion,
        maxOperations: this.maxOperations,
        baseFees: selection.baseFees,
        envelopes: [...selection.included, ...gifts],
        apply: {
          ledger,
          host: this.host,
          hostLedger: this.#hostLedger,
          events: this.#events,
          nonRefundableFee: (transaction) => this.#costs.of(transaction, ledger),
          log: this.#log,
        },
      })
      const closed = closedLedger(sealed, content)
      included = selection.included
      this.#state = sealed.state
      this.#history.add(closed)
      this.#faucet.settle(closed)
      for (const listener of this.#listeners) listener(closed)
      return closed
    } catch (error) {
      this.#faucet.abandon(error)
      throw error
    } finally {
      this.#queue.endClosing(ledger.sequence, included)
      await this.#trimInvalid(this.#queue.waiting, this.#validationNow())
    }
  }

  /** Those that may still be applied; the others are dropped, without a trace in the ledger. */
  async #trimInvalid(
    envelopes: readonly Envelope[],
    context: ValidationContext,
  ): Promise<readonly Envelope[]> {
    const valid = await trimInvalid(envelopes, context)
    const kept = new Set(valid)
    for (const envelope of envelopes) if (!kept.has(envelope)) this.#queue.drop(envelope)
    return valid
  }

  #now(): number {
    return Math.floor(this.clock.now() / 1000)
  }

  /** Close times strictly increase, whatever the clock does. */
  #next(): LedgerContext {
    return {
      sequence: this.#state.sequence + 1,
      closeTime: Math.max(this.#state.closeTime + 1, this.#now()),
      networkId: this.networkId,
      baseReserve: Number(BASE_RESERVE),
    }
  }

  /** A transaction that arrives now: judged as of the last ledger, and by when it could be taken. */
  #validationNow(): ValidationContext {
    const { closeTime } = this.#state
    const drift = Math.max(0, this.#now() - closeTime)
    const offset = LEDGERS_TO_OUTLIVE * this.#expectedCloseSeconds + drift
    const next = this.#next()
    return {
      ...this.#validationIn(next),
      earliest: BigInt(closeTime),
      latest: BigInt(closeTime + offset),
    }
  }

  #validationIn(ledger: LedgerContext): ValidationContext {
    const closeTime = BigInt(ledger.closeTime)
    return {
      view: this.#store,
      ledger: ledger.sequence,
      earliest: closeTime,
      latest: closeTime,
      nonRefundableFee: (transaction) => this.#costs.of(transaction, ledger),
    }
  }
}

function closedLedger(
  { state, headerXdr }: ClosedHeader,
  content: Pick<ClosedLedger, 'transactions' | 'fees' | 'evictedKeys'>,
): ClosedLedger {
  const { sequence, closeTime } = state
  return {
    sequence,
    closeTime,
    hash: Buffer.from(state.hash).toString('hex'),
    headerXdr,
    ...content,
  }
}
