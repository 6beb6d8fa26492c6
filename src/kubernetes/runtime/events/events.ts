import { backoffMs } from '../../../platform/core/time/backoff.ts'
import type { SteadyClock } from '../../../platform/core/time/clock.ts'
import type { KubeClient } from '../client/client.ts'
import { isKubeError } from '../client/kube-error.ts'
import type { Logger } from '../logger.ts'
import { type KubeMetrics, noKubeMetrics } from '../metrics/metrics.ts'
import { identityOf } from '../objects/metadata-only.ts'
import {
  apiVersionOf,
  type DesiredObject,
  type KubeObject,
  microTime,
  type ResourceType,
} from '../objects/resource.ts'
import { WATCH_BACKOFF } from '../time/backoff.ts'
import { EventCorrelator, type EventDecision, type EventLimits } from './event-correlator.ts'

const events: ResourceType = {
  group: 'events.k8s.io',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  namespaced: true,
}

export interface EventFacts {
  readonly type: 'Normal' | 'Warning'
  /** The cause: one CamelCase word of at most 128 characters. */
  readonly reason: string
  /** The action taken: one CamelCase word of at most 128 characters. */
  readonly action: string
  /** One sentence; cut at 1,024 bytes, the server's limit. */
  readonly note: string
}

export interface EventRecorder {
  /** Records a transition, never a state. Returns at once and never throws: an event may be lost. */
  record(regarding: KubeObject, facts: EventFacts): void
  /** Resolves when every recorded event is written or dropped. */
  flush(): Promise<void>
}

export interface EventRecorderOptions {
  readonly client: Pick<KubeClient, 'create' | 'patch'>
  /** Name of the controller: `example.com/operator`. */
  readonly controller: string
  /** The pod's name. */
  readonly instance: string
  readonly clock: SteadyClock
  readonly random: () => number
  readonly logger: Logger
  readonly metrics?: KubeMetrics
  readonly limits?: EventLimits
}

type Write = Exclude<EventDecision, { do: 'drop' }>

/** The note is that of the `Write`, which is short. */
type FactsBesideNote = Omit<EventFacts, 'note'>

interface Chain {
  pending: number
  tail: Promise<void>
}

const MAX_ATTEMPTS = 3
/** The most pending events of one namespace: events that the server throttles there delay and drop those of no other. */
const MAX_PENDING = 200
const MAX_NOTE_BYTES = 1_024
/** Bytes of a note that are left for the prefix of combined events. */
const PREFIX_BYTES = 64

export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { clock, random, logger, metrics = noKubeMetrics } = options
  const correlator = new EventCorrelator(clock, options.limits)
  /** The events of each namespace that has any left to write, one after the other. */
  const chains = new Map<string, Chain>()
  let recorded = 0

  const drop = (cause: string) => metrics.eventsDropped.inc({ cause })
  const write = async (
    regarding: KubeObject,
    facts: FactsBesideNote,
    event: Write,
  ): Promise<void> => {
    for (let attempts = 1; ; attempts += 1) {
      try {
        await writeEvent(options, regarding, facts, event)
        return
      } catch (error) {
        if (
          attempts === MAX_ATTEMPTS ||
          !isKubeError(error, 'throttled', 'unavailable', 'transport')
        ) {
          drop('refused')
          logger.warn({ err: error, reason: facts.reason }, 'Could not write the event')
          return
        }
        const leastMs = error.retryAfterMs ?? 0
        await clock.sleep(Math.max(leastMs, backoffMs(WATCH_BACKOFF, attempts, random)))
      }
    }
  }

  return {
    record(regarding, { note, ...kind }) {
      // An event may wait for minutes, and an object may be large.
      const about = identityOf(regarding)
      const { uid, name, namespace = '' } = about.metadata
      recorded += 1
      const suffix = `${Math.floor(clock.now()).toString(16)}${recorded.toString(16)}`
      const newName = `${name.slice(0, 220)}.${suffix}`
      const similarKey = [uid, kind.type, kind.reason, kind.action].join(' ')
      const decision = correlator.decide({ uid, similarKey, note: cut(note) }, newName)
      if (decision.do === 'drop') return drop('too_many')
      const chain = chains.get(namespace) ?? { pending: 0, tail: Promise.resolve() }
      if (chain.pending >= MAX_PENDING) return drop('backlog')
      chains.set(namespace, chain)
      chain.pending += 1
      chain.tail = chain.tail
        .then(() => write(about, kind, decision))
        .finally(() => {
          chain.pending -= 1
          if (chain.pending === 0) chains.delete(namespace)
        })
    },
    flush: async () => {
      await Promise.all([...chains.values()].map(({ tail }) => tail))
    },
  }
}

const cut = (note: string): string => {
  const limit = MAX_NOTE_BYTES - PREFIX_BYTES
  const bytes = Buffer.from(note.slice(0, limit + 1))
  // A character cut in two becomes U+FFFD, which takes up to six bytes more.
  return bytes.length <= limit ? note : `${bytes.subarray(0, limit - 6)}`
}

async function writeEvent(
  options: EventRecorderOptions,
  regarding: KubeObject,
  facts: FactsBesideNote,
  event: Write,
): Promise<void> {
  const { client, clock } = options
  const body = eventOf(options, regarding, facts, event)
  if (event.do === 'create') {
    await client.create(events, body)
    return
  }
  const series = { count: event.count, lastObservedTime: microTime(clock.now()) }
  try {
    await client.patch(events, body.metadata, { series, note: event.note })
  } catch (error) {
    // The server deletes events after an hour by default.
    if (!isKubeError(error, 'notFound')) throw error
    await client.create(events, { ...body, series })
  }
}

function eventOf(
  { controller, instance, clock }: EventRecorderOptions,
  { apiVersion, kind, metadata }: KubeObject,
  { type, reason, action }: FactsBesideNote,
  { name, note }: Write,
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
