/**
 * A lane: a sponsor with channels, a database and facilitator processes, on a network that lanes share. What
 * happens to one lane's processes does not affect another lane.
 */

import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { uptoContract } from '../../src/localnet/genesis/upto-contract.ts'
import type { LocalnetServer } from '../../src/localnet/server/server.ts'
import { authoritySigner } from '../../src/payments/channels/derive.ts'
import type { Timings } from '../../src/payments/engine/timings.ts'
import { withPaymentIdentifier } from '../../src/payments/protocol/payment-identifier.ts'
import { findSettlement } from '../../src/payments/store/settlements/find.ts'
import type { Settlement, SettlementKey } from '../../src/payments/store/settlements/settlement.ts'
import { passphrases } from '../../src/platform/core/caip2.ts'
import { openStore, type Store } from '../../src/platform/database/open.ts'
import { StoreUnavailable } from '../../src/platform/database/postgres/unavailable.ts'
import { type CrashReplica, startReplica } from './crash-replica.ts'
import { type LaneSponsor, laneSponsor, sponsorVariables } from './crash-sponsor.ts'
import { accountEntry, type Transfer, transactionsAfter, transfersOf } from './ledger-view.ts'
import { openWallet, type PaymentBody, payment, type Wallet } from './payments.ts'
import { settleOf, type UptoService, uptoPayment } from './upto-payments.ts'

const network = 'stellar:testnet'

/** Short time limits, each still well above the time that it must cover. */
const shortTimings: Partial<Timings> = {
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
  /** The server cancels a statement after this time. @default 1000 */
  readonly statementTimeoutMs?: number
  /** @default a new one with a seed */
  readonly sponsor?: LaneSponsor
}

/** A payment; its amount is different from every other one of its lane. */
export interface LanePayment {
  readonly body: PaymentBody
  readonly key: SettlementKey
  readonly amount: bigint
  readonly scheme: 'exact' | 'upto'
}

export interface PaidTransfer extends Transfer {
  /** Of the transaction that made it, hex. */
  readonly hash: string
}

export interface Lane extends AsyncDisposable {
  readonly localnet: LocalnetServer
  readonly channels: number
  /** The running ones, oldest first. */
  readonly replicas: CrashReplica[]
  readonly store: Store
  start(): Promise<CrashReplica>
  /** Starts one with another sponsor, which still settles what was signed for the authority of the first. */
  startWithNextSponsor(): Promise<CrashReplica>
  /** @param identifier the id that its buyer gives it; none when absent */
  newPayment(identifier?: string): Promise<LanePayment>
  /** The same from a new payer, one of `otherPayers`. Only payers that hold no channel get the kept ones at once. */
  newPaymentOfAnother(): Promise<LanePayment>
  /** Payers of settlements that no `newPayment` made. */
  readonly otherPayers: Set<string>
  /** Every transfer of this lane's payer in the ledgers after `ledger`; with `all`, of the other payers too. */
  transfersAfter(ledger: number, of?: 'all'): readonly PaidTransfer[]
  /** Leases every free channel until `releaseChannels` is called. */
  occupyChannels(): Promise<void>
  releaseChannels(): Promise<void>
  /** Fees of the last hour as the budgets count them, and as the ledger charged the sponsors, in stroops. */
  spent(): Promise<{ readonly counted: bigint; readonly charged: bigint }>
}

const READ_TIMEOUT_MS = 60_000
const OTHER_OWNER = 'the test'
const FIRST_AMOUNT = 10_000n

export async function openLane(options: LaneOptions): Promise<Lane> {
  await using opened = new AsyncDisposableStack()
  const { localnet, databaseUrl, channels } = options
  const [sponsor, next] = [options.sponsor ?? laneSponsor(), laneSponsor()]
  const [payer, seller] = await Promise.all([
    openWallet(localnet, 1_000_000_000_000n),
    openWallet(localnet),
    ...[sponsor, next].map(({ address }) =>
      localnet.pay({ address, asset: 'XLM', amount: 10_000_000_000n }),
    ),
  ])
  const url = databaseUrl
  const store = opened.use(await openStore({ kind: 'postgres', url }))
  await store.migrate()
  const replicas: CrashReplica[] = []
  opened.defer(async () => void (await Promise.all(replicas.map((replica) => replica.kill()))))
  const balanceOf = ({ address }: LaneSponsor) => accountEntry(localnet.network, address).balance
  /** Of each sponsor, once its channels exist. */
  const before = new Map<LaneSponsor, bigint>()
  const startWith = async (own: LaneSponsor, previous?: LaneSponsor) => {
    const replica = await startReplica(replicaSettings(options, own, previous))
    if (!before.has(own)) before.set(own, balanceOf(own))
    replicas.push(replica)
    return replica
  }
  const start = () => startWith(sponsor)
  for (let count = 0; count < options.replicas; count++) await start()
  const otherPayers = new Set<string>()
  const authority = authoritySigner(sponsor.secret, network).address
  const service = { contract: uptoContract(passphrases[network]), authority }
  const nextPayment = paymentsOf(localnet, service, seller.address)
  const resources = opened.move()
  return {
    localnet,
    channels,
    replicas,
    store,
    start,
    startWithNextSponsor: () => startWith(next, sponsor),
    newPayment: (identifier) => nextPayment(payer, identifier),
    newPaymentOfAnother: async () => {
      const other = await openWallet(localnet)
      otherPayers.add(other.address)
      return nextPayment(other)
    },
    otherPayers,
    transfersAfter: (ledger, of) =>
      transactionsAfter(localnet.network, ledger)
        .filter(({ successful }) => successful)
        .flatMap((applied) =>
          transfersOf(applied).map((transfer) => ({ ...transfer, hash: applied.hash })),
        )
        .filter(({ from }) => from === payer.address || (of === 'all' && otherPayers.has(from))),
    occupyChannels: async () => {
      const take = sql`update channels set lease_owner = ${OTHER_OWNER}, lease_expires_at = 'infinity'
        where lease_owner is null or lease_expires_at <= clock_timestamp()`
      await withRetries(() => take.execute(store.db))
    },
    releaseChannels: async () => {
      const give = sql`update channels set lease_owner = null, lease_expires_at = null
        where lease_owner = ${OTHER_OWNER}`
      await withRetries(() => give.execute(store.db))
    },
    spent: async () => {
      const query = sql<{
        counted: string
      }>`select coalesce(sum(fees_of_last_hour(${network}, sponsor, '')), 0) as counted
        from unnest(${[...before.keys()].map(({ address }) => address)}::text[]) as sponsor`
      const counted = BigInt(
        (await withRetries(() => query.execute(store.db))).rows[0]?.counted ?? -1n,
      )
      const charged = [...before].map(([own, balance]) => balance - balanceOf(own))
      return { counted, charged: charged.reduce((sum, each) => sum + each, 0n) }
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

const replicaSettings = (
  { localnet, databaseUrl, channels, timings, hourlyBudget, statementTimeoutMs }: LaneOptions,
  sponsor: LaneSponsor,
  previous: LaneSponsor | undefined,
) => ({
  environment: {
    NETWORKS: network,
    TESTNET_RPC_URL: localnet.httpUrl,
    ...sponsorVariables(sponsor, previous),
    TESTNET_UPTO_CONTRACT: uptoContract(passphrases[network]),
    // Its fees would be spent besides those of settlements.
    TESTNET_UPTO_KEEPER_ENABLED: 'false',
    TESTNET_TIMEOUT_MAX_SECONDS: String(VALID_SECONDS),
    TESTNET_CHANNEL_COUNT: String(channels),
    DATABASE_URL: databaseUrl,
    DATABASE_STATEMENT_TIMEOUT_MS: String(statementTimeoutMs ?? 1_000),
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'silent',
  },
  variables: sponsor.variables ?? {},
  timings: { ...shortTimings, ...timings },
  reconcileIntervalMs: 300,
  ...(hourlyBudget !== undefined && { hourlyBudget: hourlyBudget.toString() }),
})

/**
 * Longer than any outage here, so that every payment can be made in the end: an hour of ledgers of five
 * seconds, the close time that a replica expects before it has observed some.
 */
export const VALID_SECONDS = 3_600
export const VALID_LEDGERS = 700

/** In the schemes `exact` and `upto` in turn. */
const paymentsOf = (localnet: LocalnetServer, service: UptoService, payTo: string) => {
  let amount = FIRST_AMOUNT
  return async (payer: Wallet, identifier?: string): Promise<LanePayment> => {
    amount += 1n
    const own = amount
    const terms: Terms = {
      ...{ payer, payTo, amount: own, maxTimeoutSeconds: VALID_SECONDS },
      expirationLedger: localnet.network.latest.sequence + VALID_LEDGERS,
    }
    const scheme = own % 2n === 0n ? 'exact' : 'upto'
    const { body, nonce } =
      scheme === 'exact'
        ? await exactPayment(localnet, terms)
        : await partOf(localnet, service, terms)
    const declared = { bazaar: { info: { input: { type: 'http', method: 'GET' } }, schema: {} } }
    Object.assign(body.paymentPayload, {
      resource: { url: resourceUrlOf(own) },
      extensions: identifier === undefined ? declared : withPaymentIdentifier(declared, identifier),
    })
    const key: SettlementKey = { network, payer: payer.address, nonce }
    return { body, key, amount: own, scheme }
  }
}

interface Terms {
  readonly payer: Wallet
  readonly payTo: string
  readonly amount: bigint
  readonly maxTimeoutSeconds: number
  readonly expirationLedger: number
}

async function exactPayment(localnet: LocalnetServer, terms: Terms) {
  const nonce = randomBytes(8).readBigInt64BE()
  const body = await payment(localnet, { ...terms, nonce })
  return { body, nonce: nonce.toString() }
}

/** The amount, of a ceiling ten times as high. */
async function partOf(localnet: LocalnetServer, service: UptoService, terms: Terms) {
  const nonce = randomBytes(32)
  const { amount, ...others } = terms
  const signed = await uptoPayment(localnet, service, { ...others, nonce, ceiling: amount * 10n })
  return { body: settleOf(signed, amount), nonce: nonce.toString('hex') }
}

/** Each payment of a lane declares a resource of its own. */
const resourceUrlOf = (amount: bigint) => `https://seller.example/${amount}`

/** How often the declaration of a payment has reached the catalog: in its outbox, or as an outcome. */
export async function handedOver({ store }: Lane, { key, amount }: LanePayment): Promise<number> {
  const declared = `%${JSON.stringify(resourceUrlOf(amount))}%`
  const query = sql<{ count: number }>`
    select (select count(*) from catalog_outbox
        where network = ${key.network} and payer = ${key.payer} and nonce = ${key.nonce}
          and body like ${declared})::integer
      + (select count(*) from catalog_outcomes
        where network = ${key.network} and payer = ${key.payer} and nonce = ${key.nonce})::integer as count`
  return (await withRetries(() => query.execute(store.db))).rows[0]?.count ?? 0
}

export const rowOf = ({ store }: Lane, { key }: LanePayment): Promise<Settlement | undefined> =>
  withRetries(() => findSettlement(store.db, key))

/** Repeats a read that fails because the database was away: the pool still has broken connections. */
export async function withRetries<T>(read: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + READ_TIMEOUT_MS
  for (;;) {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || performance.now() > deadline) throw error
      await sleep(50)
    }
  }
}

/** Reads until `isDone` accepts the value, or time is up; returns the last value. */
export async function pollUntil<T>(
  read: () => Promise<T>,
  isDone: (value: T) => boolean,
  withinMs: number,
): Promise<T> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const value = await read()
    if (isDone(value) || performance.now() > deadline) return value
    await sleep(50)
  }
}
