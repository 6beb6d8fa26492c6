import { canonicalJson } from '../../../platform/core/text/canonical-json.ts'
import type { SteadyClock } from '../../../platform/core/time/clock.ts'
import type { Logger } from '../../../platform/telemetry/logs/logger.ts'
import type { ChannelPool } from '../../crd/channel-pool.ts'
import type { Facilitator } from '../../crd/facilitator.ts'
import { GROUP } from '../../crd/names/group.ts'
import { createStatusWriter } from '../../runtime/apply/status-writer.ts'
import { OwnWrites } from '../../runtime/cache/own-writes.ts'
import type { KubeClient } from '../../runtime/client/client.ts'
import type { Controller } from '../../runtime/controller/controller.ts'
import { createController } from '../../runtime/controller/controller.ts'
import { any, changedByOthers, primaryChanged } from '../../runtime/controller/predicates.ts'
import type { EventRecorder } from '../../runtime/events/events.ts'
import type { KubeMetrics } from '../../runtime/metrics/metrics.ts'
import { type KubeObject, keyOf } from '../../runtime/objects/resource.ts'
import { poolUsers, type UserSpec } from '../references/pool-users.ts'
import { isUnderWay, sourcesOf } from '../references/rotation-state.ts'
import { channelSecretOf } from '../references/sponsor-source.ts'
import type { Caches } from '../watches/caches.ts'
import { index } from '../watches/indexes.ts'
import { lean } from '../watches/lean.ts'
import { channelPoolType } from '../watches/resource-types.ts'
import { isHeld } from '../watches/short-values.ts'
import { type ConnectDeps, createConnect } from './connect/connect.ts'
import { KnownPools } from './connect/known-pools.ts'
import { WaitingPools } from './connect/waiting-pools.ts'
import { PoolBackoff } from './converge/backoff.ts'
import { createNamespacePhases } from './deletion/namespace-phase.ts'
import { createReconcile } from './reconcile.ts'
import { createPoolReport } from './status/report.ts'
import { StatusPace } from './status/status-pace.ts'

export interface ChannelPoolControllerOptions {
  readonly caches: Caches
  readonly client: KubeClient
  readonly connectDeps: ConnectDeps
  readonly events: EventRecorder
  readonly clock: SteadyClock
  readonly random: () => number
  readonly logger: Logger
  readonly metrics: KubeMetrics
  readonly resyncMs?: number
}

/** A pass may wait for a transaction that is valid for 20 s, and before that for RPC answers. */
const TIMEOUT_MS = 60_000
/** A pass of a pool whose RPC hangs only waits, for 10 s: with the usual four workers such pools would hold up all others. One namespace gets eight. */
const WORKERS = 16

export function createChannelPoolController(options: ChannelPoolControllerOptions): Controller {
  const { caches, client, connectDeps, events, clock } = options
  const { pools, facilitators, secrets } = caches
  const ownWrites = new OwnWrites(lean)
  caches.pools.onChange(({ object }) => ownWrites.seen(object))
  const statuses = createStatusWriter({ client, own: ownWrites })
  const backoff = new PoolBackoff()
  const pace = new StatusPace()
  const known = new KnownPools()
  const waiting = new WaitingPools({ clock, wake: (key) => controller.enqueue(key) })
  const { connect, addressOf, dependenciesOf, forgetSecrets } = createConnect(
    connectDeps,
    (sponsor, namespace) => waiting.freed(sponsor, namespace),
  )
  const forget = async (uid: string) => {
    backoff.forget(uid)
    pace.forget(uid)
    known.forget(uid)
    await forgetSecrets(uid)
    await connectDeps.stores.release(uid)
    await connectDeps.networks.release(uid)
  }
  const controller = createController({
    ...options,
    name: 'channelpool',
    primary: pools,
    when: any(primaryChanged(GROUP), changedByOthers(ownWrites)),
    timeoutMs: TIMEOUT_MS,
    workers: WORKERS,
    reconcile: createReconcile({
      type: channelPoolType,
      pools: pools.store,
      usersOf: (poolKey) => facilitators.store.by(index.byPool, poolKey),
      client,
      ownWrites,
      connectDeps,
      connect,
      addressOf,
      forget,
      known,
      waiting,
      dependenciesOf,
      backoff,
      pace,
      namespaces: createNamespacePhases(client),
      forgottenSecrets: (namespace) =>
        secrets
          .heldIn(namespace)
          .filter(
            ({ metadata: { name } }) =>
              !pools.store
                .by(index.bySecret, keyOf({ namespace, name }))
                .some((pool) => keepsSecret(pool, name)),
          ),
      report: createPoolReport({ statuses, events, clock }),
      events,
      clock,
    }),
  })
  const poolsOf = (secret: KubeObject) =>
    pools.store.by(index.bySecret, keyOf(secret.metadata)).map(({ metadata }) => keyOf(metadata))
  // One that a rotation holds, and whose pool is gone, belongs to no pool: a pass under its own name frees it.
  const keysOf = (secret: KubeObject) => [
    ...poolsOf(secret),
    ...(isHeld(secret) ? [keyOf(secret.metadata)] : []),
  ]
  for (const informer of secrets.informers) controller.watch(informer, { to: keysOf })
  // A pool says who uses it and what they require of its sponsor; the deletion of a pool waits until no Facilitator uses it.
  controller.watch(facilitators, {
    when: ({ type, object, previous }) =>
      type !== 'updated' || previous === undefined || useOf(object) !== useOf(previous),
    to: ({ metadata: { namespace }, spec }) =>
      spec.networks.map(({ channelPool: name }) => keyOf({ namespace, name })),
  })
  return controller
}

/** Whether a pool needs what signs for both of its sponsors, or derives keys of channels from the Secret. */
const keepsSecret = (pool: ChannelPool, name: string): boolean =>
  isUnderWay(pool.status?.rotation) ||
  pool.status?.rotation?.holdsSecrets === true ||
  sourcesOf(pool).some((source) => channelSecretOf(pool, source)?.name === name)

/** The fields of a Facilitator that its pools depend on, as one comparable text. Its migration makes the schema that they wait for. */
const useOf = (facilitator: UserSpec & Pick<Facilitator, 'status'>): string =>
  canonicalJson([
    facilitator.status?.migration?.state ?? null,
    facilitator.spec.networks.map(({ channelPool }) => [
      channelPool,
      poolUsers([facilitator], channelPool).map((user) => [
        user.replicas,
        String(user.requires),
        user.uptoSeconds ?? null,
        user.sponsors ?? null,
      ]),
    ]),
  ])
