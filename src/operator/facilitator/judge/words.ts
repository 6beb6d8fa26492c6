import type { Failing } from '../failing-pods.ts'
import type { Seen, SeenPart } from '../seen.ts'

/** Sentences that several conditions say. */

export const migrationWords = ({ plan, view }: Seen): string => {
  const pod = view.failing.find(({ component }) => component === 'migration')
  const said = pod?.message ? ` It ended with: ${pod.message}` : ''
  return `Migration Job ${plan?.job} failed.${said} Nothing was rolled out; it is tried again when the image or the database changes, or the Job is deleted, and after two minutes.`
}

export const failingWords = (failing: readonly Failing[]): string => {
  const [first] = failing
  const more = failing.length > 1 ? `, and ${failing.length - 1} more` : ''
  const why = first?.message ? `: ${first.message}` : ''
  return `Pod ${first?.name}${more} cannot run: ${first?.reason}${why}`
}

export const servingWords = ({ part, workload }: SeenPart): string =>
  `${workload.ready} of ${part.replicas} ${part.component} pods serve`

/** Pods of services; those of migrations are told of with the Job. */
export const failingServices = ({ view }: Seen): readonly Failing[] =>
  view.failing.filter(({ component }) => component !== 'migration')
