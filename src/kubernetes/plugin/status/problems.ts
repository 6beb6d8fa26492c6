import { sharedProblems } from '../../../diagnosis/problems/table.ts'
import { causeOf } from '../../crd/fields/cause.ts'
import { isMarked } from '../../crd/names/marks.ts'
import { valueIn } from '../cluster/attempt.ts'
import type { Condition, FacilitatorObject, PoolObject } from '../cluster/kinds.ts'
import type { FacilitatorFacts } from './facts.ts'
import type { HealthWarning } from './health.ts'

/** Something that a person should know or do, with the words of its source. */
export interface Problem {
  /** Kind and name of the object: `ChannelPool testnet`. */
  readonly about: string
  readonly reason: string
  /** The problem, and the advice. */
  readonly message: string
}

/** Conditions that are well while they are False or absent; Progressing and Reconciling are neither. */
const badWhenTrue = ['Degraded', 'Stalled']
const neutral = ['Progressing', 'Reconciling']
/** Reasons of Unknown that name no problem. */
const expected = ['NotObserved', 'Migrating', 'NotTried']

function isBad({ type, status, reason }: Condition): boolean {
  if (neutral.includes(type)) return false
  if (badWhenTrue.includes(type)) return status === 'True'
  return (
    status === 'False' || (status === 'Unknown' && (type === 'Ready' || !expected.includes(reason)))
  )
}

/** Causes first: what a pool says, then pods, then the Facilitator, then what the pods report of themselves. */
export function problemsOf({ facilitator, pools, health }: FacilitatorFacts): readonly Problem[] {
  const { name } = facilitator.metadata
  const failingPods = facilitator.status?.failingPods ?? []
  const found: readonly Problem[] = [
    ...pausedProblem(facilitator),
    ...pools.flatMap(({ pool }) => {
      const object = valueIn(pool)
      return object ? [...pausedProblem(object), ...conditionProblems(object)] : []
    }),
    ...failingPods.map(({ name: pod, reason, message }) => ({
      about: `Pod ${pod}`,
      reason,
      message,
    })),
    ...conditionProblems(facilitator),
    ...(valueIn(health)?.warnings ?? [])
      .filter((warning) => !pools.some(({ pool }) => saysTheSame(valueIn(pool), warning)))
      .map(({ code, message, network }) => ({
        about: network === undefined ? `/health of ${name}` : `/health of ${name}, ${network}`,
        reason: code,
        message,
      })),
  ]
  return withoutRepeats(found)
}

/** Whether a condition of this pool tells of the problem that a warning of its network tells of. */
function saysTheSame(pool: PoolObject | undefined, { code, network }: HealthWarning): boolean {
  if (pool?.spec.network !== network) return false
  const reasons = sharedProblems.flatMap(
    (problem) => (problem.health === code && problem.pool) || [],
  )
  const bad = pool?.status?.conditions?.filter(isBad) ?? []
  return bad.some(({ reason }) => reasons.some((each) => each === reason))
}

function pausedProblem(object: FacilitatorObject | PoolObject): readonly Problem[] {
  const kind = object.kind === 'ChannelPool' ? 'ChannelPool' : 'Facilitator'
  if (!isMarked({ kind, metadata: object.metadata }, 'paused')) return []
  const { name } = object.metadata
  const target = kind === 'ChannelPool' ? `pool/${name}` : name
  return [
    {
      about: `${kind} ${name}`,
      reason: 'Paused',
      message: `The operator changes nothing of it. To end that: kubectl svc resume ${target}.`,
    },
  ]
}

function conditionProblems(object: FacilitatorObject | PoolObject): readonly Problem[] {
  const { kind, metadata, status } = object
  const about = `${kind} ${metadata.name}`
  const { generation = 0 } = metadata
  if (!status?.conditions) {
    return [
      {
        about,
        reason: 'NotObserved',
        message:
          'It has no status: no operator has seen it. See whether one runs: kubectl get pods -A -l app.kubernetes.io/component=operator.',
      },
    ]
  }
  const isLate =
    status.observedGeneration !== undefined &&
    status.observedGeneration < generation &&
    !isMarked({ kind: kind as 'Facilitator', metadata }, 'paused')
  const late = {
    about,
    reason: 'SpecNotObserved',
    message: `The operator has not acted on the newest spec yet: generation ${generation}, observed ${status.observedGeneration}.`,
  }
  const bad = status.conditions.filter((each) => isBad(each) && each.reason !== 'Paused')
  return [
    ...(isLate ? [late] : []),
    ...[...new Set(bad.map(({ reason }) => reason))].flatMap((reason) => {
      const cause = causeOf(bad, reason)
      return cause ? [{ about, reason, message: cause.message }] : []
    }),
  ]
}

/** The conditions of one cause have its message, or one that contains it. */
const withoutRepeats = (problems: readonly Problem[]): readonly Problem[] =>
  problems.filter(
    ({ message }, index) =>
      !problems.some((other, at) =>
        other.message === message
          ? at < index
          : other !== undefined && at < index && message.includes(other.message),
      ),
  )
