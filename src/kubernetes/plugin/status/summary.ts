import { isMarked } from '../../crd/names/marks.ts'
import { valueIn } from '../cluster/attempt.ts'
import { conditionOf, type FacilitatorObject, type PoolObject } from '../cluster/kinds.ts'
import type { FacilitatorFacts, PoolFacts } from './facts.ts'
import type { PodFacts } from './pods.ts'
import { problemsOf } from './problems.ts'

/** The facts as one plain object: what `-o json` prints, and what the page shows. Unknown is null. */
export function summaryOf(facts: FacilitatorFacts) {
  const { facilitator, pools, pods, health, events } = facts
  const { name, namespace = '', generation = 0 } = facilitator.metadata
  const { status } = facilitator
  const ready = conditionOf(facilitator, 'Ready')
  const read = valueIn(health)
  return {
    kind: 'Facilitator',
    namespace,
    name,
    ready: ready?.status ?? 'Unknown',
    reason: ready?.reason ?? 'NotObserved',
    progressing: progressOf(facilitator),
    paused: isMarked({ kind: 'Facilitator', metadata: facilitator.metadata }, 'paused'),
    generation,
    observedGeneration: status?.observedGeneration ?? null,
    url: status?.url ?? null,
    image: status?.image ?? null,
    parts: partsOf(facilitator, valueIn(pods)),
    pools: pools.map(poolSummary),
    payments: read?.payments ?? null,
    problems: problemsOf(facts),
    events: valueIn(events)?.slice(0, MAX_EVENTS) ?? null,
    /** The parts that could not be read, and why. */
    unreadable: [
      ...unreadable('pods', pods),
      ...pools.flatMap(({ name: pool, pool: attempted }) =>
        unreadable(`ChannelPool ${pool}`, attempted),
      ),
      ...unreadable('payments and warnings of the pods', health),
      ...unreadable('events', events),
    ],
  }
}

const MAX_EVENTS = 20

export type Summary = ReturnType<typeof summaryOf>

const unreadable = (what: string, attempted: object) =>
  'why' in attempted ? [{ what, why: String(attempted.why) }] : []

function progressOf(facilitator: FacilitatorObject): string | null {
  const progressing = conditionOf(facilitator, 'Progressing')
  return progressing?.status === 'True' ? `${progressing.reason}: ${progressing.message}` : null
}

function partsOf({ status }: FacilitatorObject, pods: readonly PodFacts[] | undefined) {
  return (status?.parts ?? []).map(({ name, ready, wanted, updated }) => {
    const own = pods?.filter(({ component }) => component === name.toLowerCase())
    return {
      name,
      ready,
      wanted,
      updated,
      restarts: own ? own.reduce((sum, { restarts }) => sum + restarts, 0) : null,
      images: own ? [...new Set(own.map(({ image }) => image))] : null,
    }
  })
}

function poolSummary({ name, pool: attempted }: PoolFacts) {
  const pool = valueIn(attempted)
  const status = pool?.status
  const sponsor = status?.sponsor
  const { wanted = null, ready = null, inUse = null } = status?.channels ?? {}
  return {
    name,
    network: pool?.spec.network ?? null,
    ready: pool ? readyOf(pool) : 'Unknown',
    paused: pool ? isMarked({ kind: 'ChannelPool', metadata: pool.metadata }, 'paused') : null,
    channels: { wanted, ready, inUse },
    sponsor: sponsor?.address ?? null,
    balanceXlm: sponsor?.balanceXlm ?? null,
    spendableXlm: sponsor?.spendableXlm ?? null,
    runwayHours: sponsor?.runwayHours ?? null,
  }
}

const readyOf = (pool: PoolObject): string => conditionOf(pool, 'Ready')?.status ?? 'Unknown'
