/** Pairs of sponsors for tests of `svc rotate`: the process is the real one. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RawBuilder, sql } from 'kysely'
import { expect } from 'vitest'
import { uptoContract } from '../../../../../src/localnet/genesis/upto-contract.ts'
import { provisionChannels } from '../../../../../src/payments/channels/create/provision.ts'
import { keysOfSeed } from '../../../../../src/payments/channels/sponsor-keys.ts'
import { deleteHeartbeats } from '../../../../../src/payments/store/replica-heartbeats.ts'
import { asStroops } from '../../../../../src/platform/core/amounts/stroops.ts'
import { passphrases } from '../../../../../src/platform/core/caip2.ts'
import { systemClock } from '../../../../../src/platform/core/time/clock.ts'
import { createLogger } from '../../../../../src/platform/telemetry/logs/logger.ts'
import { rpcClient } from '../../../../../src/stellar/rpc/rpc-client.ts'
import {
  type GatedServers,
  type GateOptions,
  gateServers,
} from '../../../../support/gated-servers.ts'
import { paidBy, stroopsOf } from '../../../../support/sponsors.ts'
import {
  type AdminWorld,
  channelsOnLedger,
  network,
  newSponsor,
  onLedger,
  openAdminWorld,
  type Ran,
  run,
  type Sponsor,
  SvcProcess,
  storedStates,
  type Variables,
  XLM,
} from '../../admin-world.ts'
import { replicaOf, serveOnly } from './serve-only.ts'

const CHANNELS = 3
/** Without new ledgers a transaction that is signed a minute after the last one comes too late. */
const CLOSE_EVERY_MS = 2_000

/** Of `--mode`. */
export type Mode = 'planned' | 'emergency'

export interface RotateWorld extends AsyncDisposable {
  readonly admin: AdminWorld
  /** Writes it to a file, and returns the path. */
  seedFile(sponsor: Pick<Sponsor, 'secret'>): string
  /** An old sponsor with channels and an authority, and a new one that a replica serves. Several may rotate at once. */
  pair(mode: Mode): Promise<RotatedPair>
  /** Its servers for one process, whose writes are numbered. */
  gated(
    options?: Pick<GateOptions, 'stop' | 'atStop'>,
  ): Promise<GatedServers & { readonly env: Variables }>
}

export async function openRotateWorld(): Promise<RotateWorld> {
  await using opened = new AsyncDisposableStack()
  const admin = opened.use(await openAdminWorld({}, CLOSE_EVERY_MS))
  const folder = mkdtempSync(join(tmpdir(), 'svc-rotate-'))
  opened.defer(() => rmSync(folder, { recursive: true }))
  const seedFile: RotateWorld['seedFile'] = ({ secret }) => {
    const file = join(folder, randomUUID())
    writeFileSync(file, secret)
    return file
  }
  const resources = opened.move()
  return {
    admin,
    seedFile,
    pair: async (mode) => {
      const [old, young] = [newSponsor(), newSponsor()]
      for (const sponsor of [old, young]) await admin.fund(sponsor, 100n * XLM)
      const pair = new RotatedPair({ admin, mode, old, young, file: seedFile(young) })
      await provision(admin, old)
      await pair.serve()
      pair.begin()
      return pair
    },
    gated: async (options = {}) => {
      const { localnet, database } = admin
      const urls = { rpcUrl: localnet.httpUrl, databaseUrl: database.url }
      const servers = await gateServers({ ...urls, ...options })
      const env = { DATABASE_URL: servers.databaseUrl, TESTNET_RPC_URL: servers.rpcUrl }
      return { ...servers, env }
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** What `svc provision` does, in this process. */
const provision = ({ localnet, store }: AdminWorld, sponsor: Sponsor): Promise<void> =>
  provisionChannels({
    network,
    keys: keysOfSeed(sponsor.secret),
    count: CHANNELS,
    servesUpto: true,
    inclusionFee: asStroops(100n),
    keepSpendable: asStroops(0n),
    rpc: rpcClient({ url: localnet.httpUrl, allowHttp: true }),
    store,
    clock: systemClock,
    log: createLogger({ level: 'silent' }),
    signal: AbortSignal.timeout(200_000),
  })

interface PairOptions {
  readonly admin: AdminWorld
  readonly mode: Mode
  readonly old: Sponsor
  readonly young: Sponsor
  /** With the seed of the new sponsor. */
  readonly file: string
}

/** One rotation from its begin to its end, by any number of processes. */
export class RotatedPair {
  readonly old: Sponsor
  readonly young: Sponsor
  readonly #options: PairOptions
  #since = 0
  #stroops = 0n

  constructor(options: PairOptions) {
    this.#options = options
    this.old = options.old
    this.young = options.young
  }

  /** All that is counted, is counted from here on. */
  begin(): void {
    this.#since = this.#options.admin.ledgers.latest.sequence
    this.#stroops = this.stroops
  }

  /** A replica serves the new sponsor from now on, or none does. */
  async serve(isServed = true): Promise<void> {
    const { store } = this.#options.admin
    if (isServed) await serveOnly(store, this.young)
    else await deleteHeartbeats(store.db, replicaOf(this.young))
  }

  /**
   * The lease of a channel that a killed process used as the source of its transaction goes on until `endLeases`.
   * @returns when it ends by itself, ISO 8601
   */
  async holdLease(): Promise<string | undefined> {
    const [lease] = await this.#setLeases(sql`now() + interval '1 hour'`)
    return lease?.lease_expires_at.toISOString()
  }

  /** As two minutes after a kill. */
  async endLeases(): Promise<void> {
    await this.#setLeases(sql`now()`)
  }

  async #setLeases(end: RawBuilder<Date>) {
    const { rows } = await sql<{ lease_expires_at: Date }>`
      update channels set lease_expires_at = ${end}
      where sponsor = ${this.old.address} and lease_owner like 'source/%'
      returning lease_expires_at`.execute(this.#options.admin.store.db)
    return rows
  }

  get #accounts() {
    return { sponsors: [this.old, this.young], channels: CHANNELS }
  }

  /** What both sponsors have, and the ledgers took from them since. */
  get stroops(): bigint {
    return stroopsOf(this.#options.admin.ledgers, this.#since, this.#accounts)
  }

  /** Whether each transaction since has succeeded. */
  get sent(): boolean[] {
    const { ledgers } = this.#options.admin
    return paidBy(ledgers, this.#since, this.#accounts).map(({ successful }) => successful)
  }

  /** What the ledgers charged both sponsors since. */
  get paid(): bigint {
    const { ledgers } = this.#options.admin
    return paidBy(ledgers, this.#since, this.#accounts).reduce((sum, { fee }) => sum + fee, 0n)
  }

  env(changes: Variables = {}): Variables {
    const { admin, old } = this.#options
    return admin.env(old, {
      CHANNEL_COUNT: String(CHANNELS),
      TESTNET_UPTO_CONTRACT: uptoContract(passphrases[network]),
      ...changes,
    })
  }

  get #args(): string[] {
    const { mode, file } = this.#options
    return ['rotate', '--network', network, '--to', file, '--mode', mode]
  }

  start(changes: Variables = {}): SvcProcess {
    return new SvcProcess(this.env(changes), ...this.#args)
  }

  run(changes: Variables = {}): Promise<Ran> {
    return run(this.env(changes), ...this.#args)
  }

  /** What a finished rotation leaves, to the stroop. */
  async expectDone(note?: string): Promise<void> {
    const { admin, mode, old, young } = this.#options
    const keepsAuthority = mode === 'planned'
    expect(
      {
        oldAccount: onLedger(admin, old.address),
        oldAuthority: onLedger(admin, old.authority),
        oldChannels: channelsOnLedger(admin, old, CHANNELS),
        oldStates: await storedStates(admin, old),
        newChannels: channelsOnLedger(admin, young, CHANNELS),
        newAuthority: onLedger(admin, young.authority),
        newStates: await storedStates(admin, young),
        sponsoring: onLedger(admin, young.address)?.sponsoring,
        stroops: this.stroops,
      },
      note,
    ).toEqual({
      oldAccount: undefined,
      oldAuthority: keepsAuthority ? { balance: 0n, sponsoring: 0 } : undefined,
      oldChannels: 0,
      oldStates: ['retired'],
      newChannels: CHANNELS,
      newAuthority: { balance: 0n, sponsoring: 0 },
      newStates: ['active'],
      // Each account has two reserves.
      sponsoring: 2 * (CHANNELS + (keepsAuthority ? 2 : 1)),
      stroops: this.#stroops,
    })
  }
}
