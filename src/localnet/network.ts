import { createHash } from 'node:crypto'
import { passphrases } from '../platform/core/caip2.ts'
import { type Clock, systemClock } from '../platform/core/time/clock.ts'
import { closeLedger } from './closing/close-ledger.ts'
import { Herder, type LedgerStep } from './closing/herder.ts'
import {
  type AppliedTransaction,
  type ClosedLedger,
  History,
  type LedgerFees,
} from './closing/history.ts'
import type { SubmitResult } from './closing/submit-result.ts'
import { Faucet } from './faucet/faucet.ts'
import { checkRequest, type FaucetRequest } from './faucet/transaction.ts'
import { friendbotId, writeGenesis } from './genesis/genesis.ts'
import type { NetworkLimits } from './genesis/network-limits.ts'
import { instanceKey, uptoContract } from './genesis/upto-contract.ts'
import { entryKey } from './ledger/entry-record.ts'
import { EntryStore } from './ledger/entry-store.ts'
import type { LastClosedLedger } from './ledger/header.ts'
import { LedgerTxn } from './ledger/ledger-txn.ts'
import { NodeKey } from './ledger/node-key.ts'
import type { LocalnetOptions } from './localnet-options.ts'
import { type NetworkSnapshot, requireSameNetwork } from './snapshot/snapshot.ts'
import { SorobanHost } from './soroban/host.ts'
import type { StoredEntry } from './soroban/instance.ts'
import type { ApplyTtlOutput } from './soroban/ttl.ts'
import { type EventFactory, eventFactory } from './transactions/apply/events.ts'
import type { MetaVersion } from './transactions/apply/meta.ts'
import type { Envelope } from './transactions/envelope.ts'
import { NonRefundableFees } from './transactions/fees/non-refundable-fees.ts'
import { extendTtl } from './transactions/soroban/footprint.ts'
import { ledgerLimits } from './transactions/soroban/ledger-resources.ts'
import { HostLedgerReader } from './transactions/soroban/soroban-context.ts'

const RETAINED_LEDGERS = 17_280
const EXPECTED_CLOSE_SECONDS = 5
/** stellar-core refuses to close a ledger past it: sequence numbers of accounts start with it in 31 bits. */
const MAX_LEDGER = 0x7fff_ffff
/** `maxTxSetSize` in the headers of testnet, in operations. */
const MAX_OPERATIONS: Readonly<Record<NetworkLimits, number>> = { testnet: 200, none: 1_000_000 }

/** A Stellar network of one node, in this process. Only `closeLedger` closes ledgers. */
export class Localnet {
  readonly passphrase: string
  /** SHA-256 of the passphrase. */
  readonly networkId: Uint8Array
  readonly host: SorobanHost
  readonly clock: Clock
  readonly #store = new EntryStore()
  readonly #hostLedger = new HostLedgerReader(this.#store)
  readonly #herder: Herder
  readonly #node: NodeKey
  readonly #faucet: Faucet
  readonly #fees: NonRefundableFees
  readonly #events: EventFactory
  readonly #options: LocalnetOptions
  #history: History
  readonly #log: (line: string) => void
  readonly #listeners = new Set<(ledger: ClosedLedger) => void>()
  #lastClosed: LastClosedLedger
  #lastTask: Promise<unknown> = Promise.resolve()

  constructor(options: LocalnetOptions = {}) {
    this.passphrase = options.passphrase ?? passphrases['stellar:testnet']
    this.networkId = createHash('sha256').update(this.passphrase).digest()
    this.clock = options.clock ?? systemClock
    this.#options = options
    this.#log = options.log ?? (() => {})
    this.host = SorobanHost.load(this.#hostLedger.getEntry, this.#log)
    this.#fees = new NonRefundableFees(this.host)
    this.#events = eventFactory(this.passphrase)
    this.#node = new NodeKey(this.networkId)
    this.#faucet = new Faucet(friendbotId(this.networkId))
    this.#herder = new Herder({
      store: this.#store,
      clock: this.clock,
      networkId: this.networkId,
      limits: ledgerLimits(this.limits, this.maxOperations, options.ledgerMaxTxCount),
      expectedCloseSeconds: options.expectedCloseSeconds ?? EXPECTED_CLOSE_SECONDS,
      minCloseTimeStep: options.minCloseTimeStep ?? 1,
      fees: this.#fees,
      lastClosed: () => this.#lastClosed,
    })
    const start = options.snapshot ?? this.#genesis()
    this.#history = this.#load(start)
    this.#lastClosed = start.state
  }

  get metaVersion(): MetaVersion {
    return this.#options.metaVersion ?? 4
  }

  get limits(): NetworkLimits {
    return this.#options.limits ?? 'testnet'
  }

  /** Operations of classic transactions in one ledger. */
  get maxOperations(): number {
    return this.#options.maxOperations ?? MAX_OPERATIONS[this.limits]
  }

  get latest(): ClosedLedger {
    return this.#history.latest
  }

  /** The oldest retained ledger. */
  get oldest(): ClosedLedger {
    return this.#history.oldest
  }

  ledger(sequence: number): ClosedLedger | undefined {
    return this.#history.ledger(sequence)
  }

  /** The retained ledgers from `sequence` on, oldest first. */
  ledgersFrom(sequence: number): Iterable<ClosedLedger> {
    return this.#history.from(sequence)
  }

  /** By the hash (hex) of an envelope or of a fee bump's inner transaction. */
  transaction(hash: string): AppliedTransaction | undefined {
    return this.#history.transaction(hash)
  }

  /** The ledger entry under a LedgerKey XDR after the last closed ledger; archived ones too. */
  entry(keyXdr: Uint8Array): StoredEntry | undefined {
    return this.#store.get(entryKey(keyXdr))
  }

  /** `C...` of the settlement contract of `upto`; undefined where the ledger has none. */
  get uptoContract(): string | undefined {
    const contract = uptoContract(this.passphrase)
    return this.entry(instanceKey(contract)) && contract
  }

  /** Runs one synchronous call of the host against the ledger as it would be after a restoration. */
  withRestored<T>(restoration: ApplyTtlOutput, call: () => T): T {
    const ltx = new LedgerTxn(this.#store)
    const ledger = this.latest.sequence
    const changes = restoration.outcome === 'success' ? restoration.changes : []
    for (const { key, newLiveUntil } of changes) {
      extendTtl(ltx, { key: entryKey(key), liveUntil: newLiveUntil, ledger })
    }
    return this.#hostLedger.within(ltx, call)
  }

  /** Queues a transaction for the next ledger. Throws when the bytes are not a TransactionEnvelope. */
  submit(envelopeXdr: Uint8Array): SubmitResult {
    return this.#herder.submit(envelopeXdr)
  }

  /** Whether transactions wait for a ledger; those of the faucet are not counted. */
  get hasPending(): boolean {
    return this.#herder.hasPending
  }

  /** Closes the next ledger, empty when nothing is pending. Concurrent calls close one each, in order. */
  closeLedger(): Promise<ClosedLedger> {
    return this.#inTurn(() => this.#close())
  }

  /**
   * Closes one ledger as if those before it had closed without transactions: they are left out of history. Waiting
   * transactions are in it, if they are still valid. Rejects with a RangeError past the last ledger sequence.
   */
  travel(step: LedgerStep): Promise<ClosedLedger> {
    return this.#inTurn(async () => {
      if (this.latest.sequence + step.ledgers > MAX_LEDGER) {
        throw new RangeError(`no ledger is ${step.ledgers} after ledger ${this.latest.sequence}`)
      }
      return await this.#close(step)
    })
  }

  /** Serializes everything that changes the ledger or reads the whole of it. */
  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const done = this.#lastTask.then(task)
    this.#lastTask = done.catch(() => undefined)
    return done
  }

  /** The network after the last closed ledger; waits for a close in progress. */
  snapshot(): Promise<NetworkSnapshot> {
    return this.#inTurn(async () => ({
      passphrase: this.passphrase,
      protocol: this.host.protocol,
      limits: this.limits,
      state: this.#lastClosed,
      entries: this.#store.entries(),
      ledgers: this.#history.ledgers,
    }))
  }

  /**
   * Replaces the network by a snapshot, history included, and forgets pending transactions. Rejects with
   * SnapshotMismatch when the snapshot has another passphrase, protocol or limits.
   */
  restore(snapshot: NetworkSnapshot): Promise<void> {
    return this.#inTurn(async () => this.#startFrom(snapshot))
  }

  /** Starts again from a new genesis. */
  reset(): Promise<void> {
    return this.#inTurn(async () => this.#startFrom(this.#genesis()))
  }

  /**
   * Pays in the next ledger, and resolves when that has closed. Creates the account (with 10,000 XLM
   * unless XLM is requested) and its trustline where they are missing. Rejects with FaucetFailure when
   * the payment fails, with RangeError for an invalid request.
   */
  async faucet(request: FaucetRequest): Promise<AppliedTransaction> {
    checkRequest(request)
    return await this.#faucet.request(request)
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

  /** Calls the listener after each close; returns a function that removes it. */
  onClose(listener: (ledger: ClosedLedger) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Overwrites the store. */
  #genesis(): NetworkSnapshot {
    const { passphrase, networkId, limits, maxOperations } = this
    const deps = { store: this.#store, host: this.host, hostLedger: this.#hostLedger }
    return writeGenesis(deps, {
      passphrase,
      networkId,
      closeTime: Math.floor(this.clock.now() / 1000),
      limits,
      entryTtls: this.#options.entryTtls,
      ledgerMaxTxCount: this.#options.ledgerMaxTxCount,
      maxOperations,
      upto: this.#options.upto ?? true,
    })
  }

  #startFrom(snapshot: NetworkSnapshot): void {
    this.#history = this.#load(snapshot)
    this.#lastClosed = snapshot.state
    this.#herder.reset()
  }

  /** Writes the snapshot's entries to the store, and returns its history. */
  #load(snapshot: NetworkSnapshot): History {
    const { passphrase, limits, host } = this
    requireSameNetwork(snapshot, { passphrase, protocol: host.protocol, limits })
    const history = History.of(snapshot.ledgers, this.#options.retainLedgers ?? RETAINED_LEDGERS)
    this.#store.replaceAll(snapshot.entries)
    return history
  }

  async #close(step?: LedgerStep): Promise<ClosedLedger> {
    const ledger = this.#herder.nextLedger(step)
    let applied: readonly Envelope[] = []
    try {
      const { included, baseFees, clusterOf } = await this.#herder.beginClosing(ledger)
      const payments = this.#faucet.envelopes({
        reader: this.#store,
        ledger,
        host: this.host,
        passphrase: this.passphrase,
      })
      const { state, ledger: closed } = await closeLedger({
        store: this.#store,
        previous: this.#lastClosed,
        metaVersion: this.metaVersion,
        maxOperations: this.maxOperations,
        baseFees,
        clusterOf,
        node: this.#node,
        envelopes: [...included, ...payments],
        apply: {
          ledger,
          host: this.host,
          hostLedger: this.#hostLedger,
          events: this.#events,
          shuffleChanges: this.#options.shuffleChanges,
          nonRefundableFee: (transaction) => this.#fees.of(transaction, ledger),
          log: this.#log,
        },
      })
      applied = included
      this.#lastClosed = state
      this.#history.add(closed)
      this.#faucet.resolve(closed)
      for (const listener of this.#listeners) listener(closed)
      return closed
    } catch (error) {
      this.#faucet.rejectAll(error)
      throw error
    } finally {
      await this.#herder.endClosing(ledger, applied)
    }
  }
}
