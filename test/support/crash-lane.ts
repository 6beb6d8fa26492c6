/**
 * A sponsor with channels, a database and facilitator processes of their own, on a network that is
 * shared: what one lane does to its processes no other lane feels.
 */

import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Timings } from '../../src/facilitator/timings.ts'
import type { LocalnetServer } from '../../src/localnet/server.ts'
import { secretOfSeed, signerFromSeed } from '../../src/stellar/signer.ts'
import { openStore, type Store } from '../../src/store/open.ts'
import { findSettlement } from '../../src/store/settlements/find.ts'
import type { Settlement, SettlementKey } from '../../src/store/settlements/settlement.ts'
import { StoreUnavailable } from '../../src/store/unavailable.ts'
import { type CrashReplica, startReplica } from './crash-replica.ts'
import { accountEntry, type Transfer, transactionsAfter, transfersOf } from './ledger-view.ts'
import { openWallet, type PaymentBody, payment, type Wallet } from './payments.ts'

const network = 'stellar:testnet'

/** Short waits, each still well over what it has to outlast. */
export const shortTimings: Partial<Timings> = {
  channelWaitMs: 1_500,
  claimTtlMs: 3_000,
  leaseTtlMs: 4_000,
  confirmWindowMs: 4_000,
  duplicateWaitMs: 2_000,
  rebroadcastMs: 400,
  followedForMs: 2_000,
  validitySeconds: 240,
  stopWaitMs: 500,
  monitorMs: 1_000,
}

export interface LaneOptions {
  readonly localnet: LocalnetServer
  readonly databaseUrl: string
  readonly channels: number
  readonly replicas: number
  readonly timings?: Partial<Timings>
  /** Stroops. @default no limit */
  readonly hourlyBudget?: bigint
  /** The server gives up on a statement after this long. @default 1000 */
  readonly statementTimeoutMs?: number
}

/** A payment that is told from every other one of its lane by its amount. */
export interface LanePayment {
  readonly body: PaymentBody
  readonly key: SettlementKey
  readonly amount: bigint
}

export interface PaidTransfer extends Transfer {
  /** Of the transaction that made it, hex. */
  readonly hash: string
}

export interface Lane extends AsyncDisposable {
  readonly localnet: LocalnetServer
  readonly channels: number
  /** Those that run, oldest first. */
  readonly replicas: CrashReplica[]
  readonly store: Store
  start(): Promise<CrashReplica>
  newPayment(): Promise<LanePayment>
  /** Every transfer of this lane's payer in the ledgers after `ledger`. */
  transfersAfter(ledger: number): readonly PaidTransfer[]
  /** Takes every free channel away, until they are given back. */
  occupyChannels(): Promise<void>
  giveChannelsBack(): Promise<void>
  /** What the budget says was spent, and what the ledger took from the sponsor, in stroops. */
  spent(): Promise<{ readonly told: bigint; readonly taken: bigint }>
}

const READ_PATIENCE_MS = 60_000
const ELSEWHERE = 'a claim elsewhere'
const FIRST_AMOUNT = 10_000n

export async function openLane(options: LaneOptions): Promise<Lane> {
  await using opened = new AsyncDisposableStack()
  const { localnet, databaseUrl, channels } = options
  const seed = randomBytes(32)
  const sponsor = signerFromSeed(seed).address
  const [payer, seller] = await Promise.all([
    openWallet(localnet, 1_000_000_000_000n),
    openWallet(localnet),
    localnet.pay({ address: sponsor, asset: 'XLM', amount: 10_000_000_000n }),
  ])
  const url = databaseUrl
  const store = opened.use(await openStore({ kind: 'postgres', url }))
  await store.migrate()
  const replicas: CrashReplica[] = []
  opened.defer(async () => void (await Promise.all(replicas.map((replica) => replica.kill()))))
  const settings = replicaSettings(options, secretOfSeed(seed))
  const start = async () => {
    const replica = await startReplica(settings)
    replicas.push(replica)
    return replica
  }
  for (let count = 0; count < options.replicas; count++) await start()
  const balance = () => accountEntry(localnet.network, sponsor).balance
  const balanceAtStart = balance()
  const nextPayment = paymentsOf(localnet, payer, seller.address)
  const resources = opened.move()
  return {
    localnet,
    channels,
    replicas,
    store,
    start,
    newPayment: nextPayment,
    transfersAfter: (ledger) =>
      transactionsAfter(localnet.network, ledger)
        .filter(({ successful }) => successful)
        .flatMap((applied) => transfersOf(applied).map((told) => ({ ...told, hash: applied.hash })))
        .filter(({ from }) => from === payer.address),
    occupyChannels: async () => {
      const take = sql`update channels set lease_owner = ${ELSEWHERE}, lease_expires_at = 'infinity'
        where lease_owner is null or lease_expires_at <= clock_timestamp()`
      await patiently(() => take.execute(store.db))
    },
    giveChannelsBack: async () => {
      const give = sql`update channels set lease_owner = null, lease_expires_at = null
        where lease_owner = ${ELSEWHERE}`
      await patiently(() => give.execute(store.db))
    },
    spent: async () => {
      const query = sql<{ told: string }>`select fees_of_last_hour(${network}, ${sponsor}) as told`
      const told = BigInt((await patiently(() => query.execute(store.db))).rows[0]?.told ?? -1n)
      return { told, taken: balanceAtStart - balance() }
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

const replicaSettings = (
  { localnet, databaseUrl, channels, timings, hourlyBudget, statementTimeoutMs }: LaneOptions,
  sponsorSecret: string,
) => ({
  environment: {
    NETWORKS: network,
    TESTNET_RPC_URL: localnet.httpUrl,
    TESTNET_SPONSOR_SECRET: sponsorSecret,
    TESTNET_TIMEOUT_MAX_SECONDS: String(VALID_SECONDS),
    TESTNET_CHANNEL_COUNT: String(channels),
    DATABASE_URL: databaseUrl,
    DATABASE_STATEMENT_TIMEOUT_MS: String(statementTimeoutMs ?? 1_000),
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'silent',
  },
  timings: { ...shortTimings, ...timings },
  reconcileIntervalMs: 300,
  ...(hourlyBudget !== undefined && { hourlyBudget: hourlyBudget.toString() }),
})

/**
 * Longer than any outage here, so that every payment can be made in the end: an hour of ledgers, at
 * the five seconds each that a replica expects before it has seen some close.
 */
const VALID_SECONDS = 3_600
const VALID_LEDGERS = 700

const paymentsOf = (localnet: LocalnetServer, payer: Wallet, payTo: string) => {
  let amount = FIRST_AMOUNT
  return async (): Promise<LanePayment> => {
    amount += 1n
    const own = amount
    const nonce = randomBytes(8).readBigInt64BE()
    const body = await payment(localnet, {
      payer,
      payTo,
      amount: own,
      nonce,
      maxTimeoutSeconds: VALID_SECONDS,
      expirationLedger: localnet.network.latest.sequence + VALID_LEDGERS,
    })
    const key: SettlementKey = { network, payer: payer.address, nonce: nonce.toString() }
    return { body, key, amount: own }
  }
}

export const rowOf = ({ store }: Lane, { key }: LanePayment): Promise<Settlement | undefined> =>
  patiently(() => findSettlement(store.db, key))

/** Reads again when the database went away meanwhile: connections that it broke are still pooled. */
export async function patiently<T>(read: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + READ_PATIENCE_MS
  for (;;) {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || performance.now() > deadline) throw error
      await sleep(50)
    }
  }
}

/** What `look` answers as soon as `isThere` agrees; the last thing it answered when time is up. */
export async function lookUntil<T>(
  look: () => Promise<T>,
  isThere: (seen: T) => boolean,
  withinMs: number,
): Promise<T> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const seen = await look()
    if (isThere(seen) || performance.now() > deadline) return seen
    await sleep(50)
  }
}
