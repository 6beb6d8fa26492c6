import type { FacilitatorResult, PartState } from '../converge.ts'
import type { FailingPod } from '../failing-pods.ts'
import type { FacilitatorPlan } from '../plan.ts'
import { MIGRATION } from '../render/common.ts'

/* Messages that several conditions share. */

/** The image refuses a database that a newer version has migrated. */
const unsupportedVersion = /which this version does not know/

export const migrationReason = ({
  observed,
}: FacilitatorResult): 'UnsupportedVersion' | 'MigrationFailed' =>
  observed.failing.some(
    ({ component, message }) => component === MIGRATION && unsupportedVersion.test(message),
  )
    ? 'UnsupportedVersion'
    : 'MigrationFailed'

export const migratingMessage = ({ job }: FacilitatorPlan): string =>
  `Job ${job} migrates the database to this version.`

export const migrationFailedMessage = ({ plan, observed }: FacilitatorResult): string => {
  const pod = observed.failing.find(({ component }) => component === MIGRATION)
  const output = pod?.message ? ` It ended with: ${asSentence(pod.message)}` : ''
  return `Migration Job ${plan?.job} failed.${output} Nothing was rolled out. The operator retries after two minutes, or at once when the Job is deleted or the image or the database changes.`
}

export const podsFailingMessage = (failing: readonly FailingPod[]): string => {
  const [first] = failing
  const more = failing.length > 1 ? ` and ${failing.length - 1} more` : ''
  const why = first?.message ? `: ${first.message}` : ''
  return asSentence(`Pod ${first?.name}${more} cannot run: ${first?.reason}${why}`)
}

export const stalledMessage = ({ deployment }: PartState): string =>
  `Deployment ${deployment} made no progress for five minutes: status.failingPods names the pods that fail.`

const asSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

/** While pods are replaced, more may be ready than the spec asks for. */
export const readyPods = ({ part, workload }: PartState): string =>
  `${Math.min(workload.ready, part.replicas)} of ${part.replicas} ${part.component} pods are ready`

/** Pods of the services; pods of migrations are reported with the Job. */
export const failingServicePods = ({ observed }: FacilitatorResult): readonly FailingPod[] =>
  observed.failing.filter(({ component }) => component !== MIGRATION)
