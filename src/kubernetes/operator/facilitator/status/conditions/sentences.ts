import type { FailingPod } from '../../../watches/failing-pods.ts'
import type { FacilitatorResult, PartState } from '../../converge/converge.ts'
import type { ObservedFacilitator } from '../../observe/observe.ts'
import type { PoolState } from '../../observe/pool-state.ts'
import type { FacilitatorPlan } from '../../plan/plan.ts'
import { MIGRATION, PREFLIGHT } from '../../spec/child-metadata.ts'

/* Messages that several conditions share. */

export const migrationReason = ({
  observed,
}: FacilitatorResult): 'UnsupportedVersion' | 'MigrationFailed' =>
  observed.failing.some(({ component, message }) => component === MIGRATION && isRefusal(message))
    ? 'UnsupportedVersion'
    : 'MigrationFailed'

export const migratingMessage = ({ job }: FacilitatorPlan): string =>
  `Job ${job} migrates the database to this version; new pods follow.`

const retries =
  'The operator retries after 2, 4, 8 and then up to 30 minutes, or at once when the Job is deleted or what it runs with changes.'

export const migrationFailedMessage = ({ plan, observed }: FacilitatorResult): string => {
  return `Migration Job ${plan?.job} failed.${outputOf(MIGRATION, observed)} Nothing was rolled out. ${retries}`
}

/** The last output of a failed pod, with a space before it; empty where there is none. */
const outputOf = (job: string, { failing }: ObservedFacilitator): string => {
  const pod = failing.find(({ component }) => component === job)
  return pod?.message ? ` It ended with: ${asSentence(pod.message)}` : ''
}

/** Then it names the Job or the Deployment instead of a pod. */
const FAILED_CREATE = 'FailedCreate'

/** Reasons of the kubelet for an image that it cannot get. */
const imageReasons: ReadonlySet<string> = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
])

export const podsFailingMessage = (failing: readonly FailingPod[]): string => {
  const [first] = failing
  const more = failing.length > 1 ? ` and ${failing.length - 1} more` : ''
  // Kubernetes calls every exit code but 0 `Error`: the output of the container says more.
  const reason = first?.reason === 'Error' && first.message ? undefined : first?.reason
  const why = [reason, first?.message].filter(Boolean).join(': ')
  const what =
    first?.reason === FAILED_CREATE
      ? `${first.name}${more} cannot create its pods: ${first.message}`
      : `Pod ${first?.name}${more} cannot run: ${why}`
  const todo = imageReasons.has(first?.reason ?? '')
    ? ' Correct the image, or give the pods the pull secret of its registry.'
    : ''
  return `${asSentence(what)}${todo}`
}

export const stalledMessage = ({ deployment }: PartState): string =>
  `Deployment ${deployment} made no progress for five minutes: status.failingPods names the pods that fail.`

const asSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

/** While pods are replaced, more may be ready than the spec asks for. */
export const readyPods = ({ part, workload }: PartState): string =>
  `${Math.min(workload.ready, part.replicas)} of ${part.replicas} ${part.component} pods are ready`

/** The pool without whose channels pods do not become ready, where no pod fails for another reason. */
export const waitedForPool = (result: FacilitatorResult): PoolState | undefined =>
  failingServicePods(result).length === 0 && result.parts[0]?.workload.ready === 0
    ? result.pools.find(({ settles }) => settles !== 'True')
    : undefined

export const poolNotReadyMessage = ({ name, ready }: PoolState): string =>
  `ChannelPool ${name} is not ready: ${ready.message}`

const isOfJob = ({ component }: FailingPod): boolean =>
  component === MIGRATION || component === PREFLIGHT

/** Pods of the services; those of the Jobs are reported with the Job. */
export const failingServicePods = ({ observed }: FacilitatorResult): readonly FailingPod[] =>
  observed.failing.filter((pod) => !isOfJob(pod))

/** Pods of a Job that has not ended yet: it may wait for them until its deadline. */
export const failingJobPods = ({ plan, observed }: FacilitatorResult): readonly FailingPod[] => {
  if (!plan) return []
  const running = [
    ...(plan.migration.state === 'Running' ? [MIGRATION] : []),
    ...(plan.preflight?.result.state === 'Running' ? [PREFLIGHT] : []),
  ]
  return observed.failing.filter(({ component }) => running.includes(component))
}

export const preflightRunningMessage = ({ preflight }: FacilitatorPlan): string =>
  `Job ${preflight?.name} checks that new pods could settle. Those that serve stay until then.`

export const preflightFailedMessage = ({ plan, observed }: FacilitatorResult): string => {
  const output = outputOf(PREFLIGHT, observed)
  return `Preflight Job ${plan?.preflight?.name} failed: new pods could not settle.${output} The pods that serve stay as they are. ${retries}`
}

/** Says that the database is newer than the image, which works with it; undefined when it is not. */
export const newerSchemaMessage = ({ observed }: FacilitatorResult): string | undefined =>
  observed.migrationNote === undefined
    ? undefined
    : `A newer version migrated the database, and the image works with its schema. The Job said: ${asSentence(observed.migrationNote)}`

/** Matches the message of an image that refuses the schema, because a newer version's migration has removed what it uses. */
const refusal = /which this version does not know/

/**
 * Whether the output of a failed migration is such a refusal. It holds whatever this operator knows of the schema: the image applies the
 * same rule to all migrations of the database, of which an operator that is as old does not know the newest either.
 */
const isRefusal = (message: string): boolean => refusal.test(message)
