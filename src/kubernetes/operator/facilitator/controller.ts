import { canonicalJson } from '../../../platform/core/text/canonical-json.ts'
import type { SteadyClock } from '../../../platform/core/time/clock.ts'
import type { Store } from '../../../platform/database/open.ts'
import type { Logger } from '../../../platform/telemetry/logs/logger.ts'
import { GROUP } from '../../crd/names/group.ts'
import { childAnnotations } from '../../crd/names/marks.ts'
import { createApplier } from '../../runtime/apply/apply.ts'
import { createStatusWriter } from '../../runtime/apply/status-writer.ts'
import { OwnWrites } from '../../runtime/cache/own-writes.ts'
import { ownerKeys } from '../../runtime/cache/owners.ts'
import type { KubeClient } from '../../runtime/client/client.ts'
import type { Controller } from '../../runtime/controller/controller.ts'
import { createController } from '../../runtime/controller/controller.ts'
import { primaryChanged } from '../../runtime/controller/predicates.ts'
import type { EventRecorder } from '../../runtime/events/events.ts'
import type { KubeMetrics } from '../../runtime/metrics/metrics.ts'
import { type Key, type KubeObject, keyOf } from '../../runtime/objects/resource.ts'
import type { ReadDigest } from '../secret-digest.ts'
import type { SharedResources } from '../store-access/shared-resources.ts'
import type { Caches } from '../watches/caches.ts'
import { failureOf, type Pod } from '../watches/failing-pods.ts'
import { facilitatorByLabel, index } from '../watches/indexes.ts'
import { lean } from '../watches/lean.ts'
import { facilitatorType } from '../watches/resource-types.ts'
import type { SecretReader } from '../watches/secrets.ts'
import { ForeignObjects, mayAdopt } from './converge/foreign-objects.ts'
import { SecondOperator } from './converge/second-operator.ts'
import { relevantPoolState } from './observe/pool-state.ts'
import { RolloutSlots } from './plan/rollout-slots.ts'
import { createReconcile } from './reconcile.ts'
import { createFacilitatorReport } from './status/report.ts'

/** One namespace gets four. */
const WORKERS = 8

export interface FacilitatorControllerOptions {
  readonly caches: Caches
  readonly client: KubeClient
  readonly secrets: SecretReader
  readonly readDigest: ReadDigest
  /** Open stores by the URL of the database. */
  readonly stores: SharedResources<Store>
  readonly facilitatorImage: string
  /** See `DesiredFacilitator`. */
  readonly runbooks?: string | undefined
  readonly events: EventRecorder
  readonly clock: SteadyClock
  readonly random: () => number
  readonly logger: Logger
  readonly metrics: KubeMetrics
  readonly resyncMs?: number
}

export function createFacilitatorController(options: FacilitatorControllerOptions): Controller {
  const { caches, client, stores, events, clock, logger } = options
  const { facilitators, pools, pods, children } = caches
  const slots = new RolloutSlots({
    exists: ({ metadata }) =>
      facilitators.store.get(keyOf(metadata))?.metadata.uid === metadata.uid,
    clock,
    wake: (key) => controller.enqueue(key),
  })
  const ownWrites = new OwnWrites(lean)
  facilitators.onChange(({ object }) => ownWrites.seen(object))
  const statuses = createStatusWriter({ client, own: ownWrites })
  const controller = createController({
    ...options,
    name: 'facilitator',
    primary: facilitators,
    when: primaryChanged(GROUP),
    workers: WORKERS,
    reconcile: createReconcile({
      facilitators: facilitators.store,
      observe: { ...options, pools: pools.store, children, pods: pods.store },
      apply: {
        applier: createApplier({ client, hashAnnotation: childAnnotations.desiredHash, mayAdopt }),
        client,
        foreign: new ForeignObjects(clock),
        second: new SecondOperator(clock),
      },
      slots,
      reports: { stores, clock, logger },
      ownWrites,
      random: options.random,
      report: createFacilitatorReport({ statuses, events, clock }),
    }),
  })
  watch(controller, caches)
  return controller
}

/** Reconciles a Facilitator when an object changes that its result depends on. */
function watch(controller: Controller, caches: Caches): void {
  const { facilitators, pools, secrets, pods, children } = caches
  for (const informer of children.informers) {
    controller.watch(informer, { to: ownerKeys(facilitatorType) })
  }
  children.onServed(() => {
    for (const { metadata } of facilitators.store.values()) controller.enqueue(keyOf(metadata))
  })
  const usersOf = (pool: KubeObject): readonly Key[] =>
    facilitators.store.by(index.byPool, keyOf(pool.metadata)).map(({ metadata }) => keyOf(metadata))
  controller.watch(pools, {
    to: usersOf,
    when: ({ type, object, previous }) =>
      type !== 'updated' ||
      previous === undefined ||
      canonicalJson(relevantPoolState(object)) !== canonicalJson(relevantPoolState(previous)),
  })
  const usersOfSecret = ({ metadata }: KubeObject): readonly Key[] => {
    const key = keyOf(metadata)
    const own = facilitators.store.by(index.bySecret, key)
    const ofPools = pools.store.by(index.bySecret, key).flatMap(usersOf)
    return [...own.map((facilitator) => keyOf(facilitator.metadata)), ...ofPools]
  }
  for (const informer of secrets.informers) controller.watch(informer, { to: usersOfSecret })
  controller.watch(pods, {
    to: facilitatorByLabel,
    // The status of the Deployment says how many pods are ready; here only failures matter.
    when: ({ type, object, previous }) =>
      failureText(object) !== failureText(type === 'updated' ? previous : undefined),
  })
}

const failureText = (pod: Pod | undefined): string => canonicalJson((pod && failureOf(pod)) ?? null)
