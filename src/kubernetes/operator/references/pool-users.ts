import {
  asStroops,
  type Stroops,
  stroopsFromLumens,
} from '../../../platform/core/amounts/stroops.ts'
import type { Facilitator } from '../../crd/facilitator.ts'
import { durationMs } from '../../crd/fields/duration.ts'
import { type RolloutTrouble, troubleOf } from './rollout-of-user.ts'

/** A Facilitator that names the pool. */
export interface PoolUser {
  readonly name: string
  readonly replicas: number
  /** The sponsor must be able to spend this, or the Facilitator settles nothing: its reserve, or the maximum fee of one settlement. */
  readonly requires: Stroops
  /** The field of the Facilitator from which that follows. */
  readonly requiresBy: 'sponsor.reserveXlm' | 'fees.maxTxFeeStroops'
  /** For how long a buyer may sign with the scheme upto, in seconds; undefined where the Facilitator does not serve it. */
  readonly uptoSeconds?: number | undefined
  /** The seeds that all its pods mount; undefined during a rollout. */
  readonly sponsors?: MountedSponsors | undefined
  /** Why its pods are not replaced; undefined when nothing is in the way. */
  readonly trouble?: RolloutTrouble | undefined
}

type MountedSponsors = NonNullable<NonNullable<Facilitator['status']>['sponsors']>[number]

/** The maximum fee of a settlement for a pool that no Facilitator names: the default of the field. */
const DEFAULT_MAX_FEE = asStroops(300_000n)

/** The part of a Facilitator that its pools depend on. */
export interface UserSpec {
  readonly metadata: Pick<Facilitator['metadata'], 'name'>
  readonly spec: {
    readonly replicas: number
    readonly networks: readonly Pick<
      Facilitator['spec']['networks'][number],
      'channelPool' | 'sponsor' | 'fees' | 'upto' | 'timeouts'
    >[]
  }
  readonly status?: Pick<NonNullable<Facilitator['status']>, 'sponsors' | 'conditions'> | undefined
}

/** The users of a pool, sorted by name. */
export const poolUsers = (facilitators: readonly UserSpec[], pool: string): readonly PoolUser[] =>
  facilitators
    .flatMap(({ metadata: { name }, spec: { networks, replicas }, status }) => {
      const network = networks.find(({ channelPool }) => channelPool === pool)
      if (!network) return []
      const sponsors = status?.sponsors?.find(({ channelPool }) => channelPool === pool)
      const uptoSeconds = network.upto && durationMs(network.timeouts.max) / 1_000
      const trouble = troubleOf(status)
      return [{ name, replicas, ...requiredBy(network), uptoSeconds, sponsors, trouble }]
    })
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))

function requiredBy({
  sponsor,
  fees,
}: UserSpec['spec']['networks'][number]): Pick<PoolUser, 'requires' | 'requiresBy'> {
  const reserve = stroopsFromLumens(sponsor.reserveXlm)
  const maxFee = asStroops(BigInt(fees.maxTxFeeStroops))
  return reserve > maxFee
    ? { requires: reserve, requiresBy: 'sponsor.reserveXlm' }
    : { requires: maxFee, requiresBy: 'fees.maxTxFeeStroops' }
}

/** The least that lets any Facilitator of the pool settle. */
export const leastRequired = (users: readonly PoolUser[]): Stroops =>
  users.map(({ requires }) => requires).reduce(smaller, users[0]?.requires ?? DEFAULT_MAX_FEE)

/** The least spendable balance with which every Facilitator of the pool can settle. */
export const mostRequired = (users: readonly PoolUser[]): Stroops =>
  users.map(({ requires }) => requires).reduce(larger, leastRequired(users))

/** The first user that requires this, with the field that says so; undefined where none does. */
export const whoRequires = (users: readonly PoolUser[], required: bigint): string | undefined => {
  const user = users.find(({ requires }) => requires === required)
  return user && `Facilitator ${user.name} (${user.requiresBy})`
}

const smaller = (one: Stroops, other: Stroops): Stroops => (other < one ? other : one)
const larger = (one: Stroops, other: Stroops): Stroops => (other > one ? other : one)
