import { type RawBuilder, sql } from 'kysely'
import { expect } from 'vitest'
import { listPoolChannels } from '../../../../../src/payments/store/pools/pool-channels.ts'
import { asStroops, decimalXlm } from '../../../../../src/platform/core/amounts/stroops.ts'
import type { Json } from '../../../../support/api/manifests.ts'
import {
  isReady,
  openPoolWorld,
  type PoolWorld,
} from '../../../kubernetes/operator/channel-pool/pool-world.ts'
import {
  hasEnded,
  onLedgerOf,
  secretMeta,
  stroopsOf,
  type TestSponsor,
} from '../../../kubernetes/operator/channel-pool/rotation/rotation-world.ts'
import { type ApiProxy, startApiProxy } from '../../../support/api-proxy.ts'
import type { Cluster } from '../../../support/cluster.ts'
import { keepRunning } from '../../support/kept-running.ts'
import { brisk, pace } from '../../support/pace.ts'
import { transactionsOfSponsor } from '../../support/sponsor-transactions.ts'
import { type GatedPool, openGatedPool } from './gated-pool.ts'

const network = 'stellar:testnet'
/** Of many pools at once on a busy machine, and of the lease of a killed operator. */
export const patience = { timeout: pace(150_000, 400_000), interval: 100 }
export const limits = { timeout: pace(300_000, 3_600_000) }
const CHANNELS = 2

/** Pools whose rotations are disturbed beside each other, all managed by one operator. */
export interface RotationWorld extends PoolWorld {
  /** Opens a pool for each name, and waits until they are ready. */
  pools(
    names: readonly string[],
    specOf?: (at: number) => Json | undefined,
  ): Promise<readonly GatedPool[]>
  /**
   * SIGKILL; what waits at the gates of these pools is never written. The standby leads once the lease has ended.
   * @returns of old sponsors of which a transaction still leases a channel: when that ends by itself, ISO 8601
   */
  kill(pools: readonly GatedPool[]): Promise<ReadonlyMap<string, string>>
  /** Of watches of ChannelPools, so far. */
  watchedBytes(): number
  /** The sum over all sponsors and the fees: no rotation may change it. */
  stroops(): Promise<bigint>
}

export interface RotationWorldOptions {
  /** Whether a second operator waits for the lease, to be ready when the first one is killed. */
  readonly standby?: boolean
}

export async function openRotationWorld(
  cluster: Cluster,
  { standby = false }: RotationWorldOptions = {},
): Promise<RotationWorld> {
  await using opened = new AsyncDisposableStack()
  const world = opened.use(await openPoolWorld(cluster))
  const proxy: ApiProxy = opened.use(await startApiProxy(cluster.kubeconfigPath))
  const resources = opened.move()
  const podNames = standby ? ['operator-1', 'operator-2'] : ['operator-1']
  // On an overloaded machine a leader may lose its lease and end, as it has to.
  const operators = podNames.map((name) =>
    resources.use(
      keepRunning(() => {
        const environment = { ...brisk, FACILITATOR_IMAGE: 'svc:first', POD_NAME: name }
        return world.operate(environment, proxy.kubeconfigPath)
      }),
    ),
  )
  const leader = async () => {
    const path = `/apis/coordination.k8s.io/v1/namespaces/${world.namespace}/leases/stellar-x402-operator`
    const { body } = await cluster.request('GET', path)
    const holder = String(Object(body).spec?.holderIdentity)
    const found = operators[podNames.findIndex((name) => holder.startsWith(`${name}_`))]
    if (!found) throw new Error(`no operator of this test leads, but ${holder}`)
    return found.current
  }
  const sponsors: TestSponsor[] = []
  return {
    ...world,
    pools: async (names, specOf) => {
      const pools = await Promise.all(
        names.map(async (name, at) =>
          resources.use(await openGatedPool(world, proxy, name, specOf?.(at))),
        ),
      )
      for (const { name } of pools) await world.until(isReady, name, patience)
      sponsors.push(...pools.flatMap(({ old, next: to, third }) => [old, to, third]))
      return pools
    },
    kill: async (pools) => {
      const killed = await leader()
      killed.kill('SIGKILL')
      await killed.exited
      for (const { gate } of pools) gate.drop()
      const [leaving, arriving] = [pools.map(({ old }) => old), pools.map(({ next: to }) => to)]
      const leases = await setSourceLeases(world, leaving, sql`now() + interval '1 hour'`)
      await setSourceLeases(world, arriving, sql`now()`)
      return new Map(
        leases.map(({ sponsor, lease_expires_at: end }) => [sponsor, end.toISOString()]),
      )
    },
    watchedBytes: () =>
      proxy.calls
        .filter(({ verb, resource }) => verb === 'watch' && resource === 'channelpools')
        .reduce((sum, { responseBytes }) => sum + responseBytes, 0),
    stroops: () => stroopsOf(world, sponsors),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/**
 * The source of a killed operator's transaction stays leased until its successor has said so: as two minutes after the kill. Whoever
 * leads next does so after that transaction has expired, so the test need not wait for the rest.
 */
export async function endSourceLease(
  world: RotationWorld,
  { name, old }: GatedPool,
  until: string,
): Promise<void> {
  const says = `transactions of the sponsor lease 1 channel, until ${until} if their process has stopped`
  await world.until(
    (pool) => expect(pool?.status?.rotation?.message).toContain(says),
    name,
    patience,
  )
  await setSourceLeases(world, [old], sql`now()`)
}

async function setSourceLeases(
  { store }: PoolWorld,
  sponsors: readonly TestSponsor[],
  end: RawBuilder<Date>,
): Promise<readonly { readonly sponsor: string; readonly lease_expires_at: Date }[]> {
  const { rows } = await sql<{ sponsor: string; lease_expires_at: Date }>`
    update channels set lease_expires_at = ${end}
    where lease_owner like 'source/%' and sponsor = any(${sponsors.map(({ address }) => address)})
    returning sponsor, lease_expires_at`.execute(store.db)
  return rows
}

/** Names the new sponsor of each pool. */
export const rotate = (
  world: PoolWorld,
  { name, next }: GatedPool,
  mode: 'Planned' | 'Emergency' = 'Planned',
): Promise<void> =>
  world.patch({ spec: { sponsor: { secretRef: { name: next.name } }, rotation: { mode } } }, name)

interface Begin {
  /** The last ledger before the rotation. */
  readonly ledger: number
  /** Of the old sponsor, in stroops. */
  readonly balance: bigint
}

export async function beginOf(world: PoolWorld, { old }: GatedPool): Promise<Begin> {
  const { sequence } = world.localnet.network.latest
  const { balance = 0n } = await onLedgerOf(world, old)
  return { ledger: sequence, balance }
}

/** The pool has its channels with the new sponsor, and nothing is left of the old one. */
export async function expectDone(world: PoolWorld, pool: GatedPool): Promise<void> {
  const { name, old, next } = pool
  await world.until(
    (seen) => {
      hasEnded('Done')(seen)
      isReady(seen)
    },
    name,
    patience,
  )
  expect(await onLedgerOf(world, old)).toEqual({ channels: [], authority: false })
  await expectAlone(world, pool, next)
}

/** What the status of an ended rotation says about funds is what the ledger has. */
export async function expectSums(
  world: PoolWorld,
  { name, old }: GatedPool,
  { balance, ledger }: Begin,
): Promise<void> {
  const { rotation } = (await world.get(name))?.status ?? {}
  const fees = transactionsOfSponsor(world, old.address, ledger).reduce(
    (sum, { fee }) => sum + fee,
    0n,
  )
  expect(rotation?.sweptXlm, `${name}: sent to the new sponsor`).toBe(xlm(balance - fees))
  const lost = rotation?.mode === 'Emergency' ? xlm(fees) : undefined
  expect(rotation?.lostXlm, `${name}: what did not reach the new sponsor`).toBe(lost)
}

/** All that a pool has is with this sponsor, each account created once; no Secret is held. */
export async function expectAlone(
  world: PoolWorld,
  { old, next, third, name }: GatedPool,
  sponsor: TestSponsor,
): Promise<void> {
  const all = Array.from({ length: CHANNELS }, (_, index) => index)
  const sponsoring = 2 * (CHANNELS + 1)
  const has = await onLedgerOf(world, sponsor)
  expect(has, name).toMatchObject({ channels: all, authority: true, sponsoring })
  for (const each of [old, next, third]) {
    const rows = await listPoolChannels(world.store.db, { network, sponsor: each.address })
    const state = each === sponsor ? 'active' : 'retired'
    expect(
      rows.filter((row) => row.state !== state),
      `${name}: channels of ${each.name}`,
    ).toEqual([])
    expect((await secretMeta(world, each.name))?.finalizers, each.name).toBeUndefined()
    if (each !== sponsor) expect((await onLedgerOf(world, each)).channels, each.name).toEqual([])
    const created = transactionsOfSponsor(world, each.address, 0)
      .filter(({ successful }) => successful)
      .flatMap(({ operations }) => operations.filter((type) => type === 'createAccount'))
    expect(created.length, `accounts created for ${each.name}`).toBeLessThanOrEqual(CHANNELS + 1)
  }
}

const xlm = (stroops: bigint): string => decimalXlm(asStroops(stroops))
