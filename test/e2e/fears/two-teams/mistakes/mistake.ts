import { setTimeout as sleep } from 'node:timers/promises'
import { names } from '../../../support/world-places.ts'
import type { Kind } from '../kinds.ts'
import type { Team } from '../team.ts'

/** A row of the script. Afterwards the team's own `undo` puts everything back that this leaves. */
export interface Mistake {
  readonly name: string
  /** What is done, whether the cluster accepts it or not. */
  readonly apply: (team: Team) => Promise<unknown>
  /** Conditions of which one has to show that the operator has met it. */
  readonly says?: Saying
  /** Before everything else is put back. */
  readonly undo?: (team: Team) => Promise<unknown>
}

export interface Saying {
  readonly kind: Kind
  readonly name: string
  readonly reasons: readonly string[]
}

export const facilitator = names.facilitator
export const pool = names.pool
export const part = `${names.facilitator}-facilitator`

export const facilitatorSays = (...reasons: readonly string[]): Saying => ({
  kind: 'Facilitator',
  name: facilitator,
  reasons,
})
export const poolSays = (...reasons: readonly string[]): Saying => ({
  kind: 'ChannelPool',
  name: pool,
  reasons,
})

/** A change of the spec of the team's Facilitator. */
export const spec = (
  name: string,
  change: Readonly<Record<string, unknown>>,
  ...reasons: readonly string[]
): Mistake => ({
  name,
  apply: (team) => team.change(change),
  ...(reasons.length > 0 && { says: facilitatorSays(...reasons) }),
})

/** A pod template of the team's Facilitator. */
export const template = (
  name: string,
  podSpec: Readonly<Record<string, unknown>>,
  ...reasons: readonly string[]
): Mistake => spec(name, { podTemplate: { spec: podSpec } }, ...reasons)

/** Does the same again and again: the API server and the operator get it one after the other. */
export async function again(
  times: number,
  everyMs: number,
  act: (at: number) => Promise<unknown>,
): Promise<void> {
  for (let at = 0; at < times; at++) {
    await act(at)
    await sleep(everyMs)
  }
}

/** So many at once. */
export const each = (count: number, act: (at: number) => Promise<unknown>): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, (_, at) => act(at)))

/** What the restricted Pod Security Standard wants of a container. */
export const restrictedContainer = {
  securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
} as const

export const annotate = (
  team: Team,
  kind: Kind,
  name: string,
  annotations: Readonly<Record<string, string | null>>,
) => team.patch(kind, name, { metadata: { annotations } })
