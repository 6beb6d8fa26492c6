import type { SteadyClock } from '../core/clock.ts'
import type { Logger } from '../telemetry/logger.ts'
import { backoffMs, watchBackoff } from './backoff.ts'
import type { KubeClient } from './client.ts'
import { EventCorrelator, type EventDecision } from './event-correlator.ts'
import { isKubeError } from './kube-error.ts'
import { type KubeMetrics, noKubeMetrics } from './metrics.ts'
import { microTime } from './micro-time.ts'
import { apiVersionOf, type DesiredObject, type KubeObject, type ResourceType } from './resource.ts'

export const events: ResourceType = {
  group: 'events.k8s.io',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  namespaced: true,
}

export interface EventFacts {
  readonly type: 'Normal' | 'Warning'
  /** Why, as one CamelCase word of at most 128 characters. */
  readonly reason: string
  /** What was done or tried, as one CamelCase word of at most 128 characters. */
  readonly action: string
  /** One sentence; cut at 1,024 bytes, as the server would refuse more. */
  readonly note: string
}

export interface EventRecorder {
  /** Tells of a transition, never of a state. Returns at once and never throws; events are a courtesy. */
  record(regarding: KubeObject, facts: EventFacts): void
  /** Resolves when all that was recorded is written or given up. */
  flush(): Promise<void>
}

export interface EventRecorderOptions {
  readonly client: Pick<KubeClient, 'create' | 'patch'>
  /** As in `example.com/operator`. */
  readonly controller: string
  /** The pod's name. */
  readonly instance: string
  readonly clock: SteadyClock
  readonly random: () => number
  readonly logger: Logger
  readonly metrics?: KubeMetrics | undefined
}

type Told = Exclude<EventDecision, { do: 'drop' }>

const tries = 3
const maxPending = 1_000
const maxNoteLength = 1_024

export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { clock, random, logger, metrics = noKubeMetrics } = options
  const correlator = new EventCorrelator(clock)
  let tail: Promise<void> = Promise.resolve()
  let pending = 0
  let recorded = 0

  const drop = (cause: string) => metrics.eventsDropped.inc({ cause })
  const write = async (regarding: KubeObject, facts: EventFacts, told: Told): Promise<void> => {
    for (let tried = 1; ; tried += 1) {
      try {
        await writeEvent(options, regarding, facts, told)
        return
      } catch (error) {
        if (tried === tries || !isKubeError(error, 'throttled', 'unavailable', 'transport')) {
          drop('refused')
          logger.warn({ err: error, reason: facts.reason }, 'Could not write the event')
          return
        }
        const leastMs = error.retryAfterMs ?? 0
        await clock.sleep(Math.max(leastMs, backoffMs(watchBackoff, tried, random)))
      }
    }
  }

  return {
    record(regarding, { note, ...kind }) {
      const { uid, name } = regarding.metadata
      recorded += 1
      const suffix = `${Math.floor(clock.now()).toString(16)}${recorded.toString(16)}`
      const newName = `${name.slice(0, 220)}.${suffix}`
      const similarKey = [uid, kind.type, kind.reason, kind.action].join(' ')
      const decision = correlator.judge({ uid, similarKey, note: cut(note) }, newName)
      if (decision.do === 'drop') return drop('too_many')
      if (pending >= maxPending) return drop('backlog')
      pending += 1
      tail = tail
        .then(() => write(regarding, { ...kind, note }, decision))
        .finally(() => {
          pending -= 1
        })
    },
    flush: () => tail,
  }
}

const cut = (note: string): string => {
  const bytes = Buffer.from(note)
  return bytes.length <= maxNoteLength - 64 ? note : `${bytes.subarray(0, maxNoteLength - 70)}`
}

async function writeEvent(
  options: EventRecorderOptions,
  regarding: KubeObject,
  facts: EventFacts,
  told: Told,
): Promise<void> {
  const { client, clock } = options
  const body = eventOf(options, regarding, facts, told)
  if (told.do === 'create') {
    await client.create(events, body)
    return
  }
  const series = { count: told.count, lastObservedTime: microTime(clock.now()) }
  try {
    await client.patch(events, body.metadata, { merge: { series, note: told.note } })
  } catch (error) {
    // Events live for an hour by default; the one to count up is gone.
    if (!isKubeError(error, 'notFound')) throw error
    await client.create(events, { ...body, series })
  }
}

function eventOf(
  { controller, instance, clock }: EventRecorderOptions,
  { apiVersion, kind, metadata }: KubeObject,
  { type, reason, action }: EventFacts,
  { name, note }: Told,
): DesiredObject {
  const { uid, resourceVersion } = metadata
  const where = metadata.namespace === undefined ? {} : { namespace: metadata.namespace }
  return {
    apiVersion: apiVersionOf(events),
    kind: events.kind,
    metadata: { name, namespace: metadata.namespace ?? 'default' },
    eventTime: microTime(clock.now()),
    reportingController: controller,
    reportingInstance: instance,
    type,
    reason,
    action,
    note,
    regarding: { apiVersion, kind, name: metadata.name, ...where, uid, resourceVersion },
  }
}
