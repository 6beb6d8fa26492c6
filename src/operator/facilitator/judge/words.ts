import type { Failing } from '../failing-pods.ts'
import { MIGRATION } from '../render/common.ts'
import type { Seen, SeenPart } from '../seen.ts'

/** Sentences that several conditions say. */

/** The image refuses a database that a newer version has migrated. */
const unsupported = /which this version does not know/

/** What a failed migration is told of as. */
export const migrationReason = ({ view }: Seen): 'UnsupportedVersion' | 'MigrationFailed' =>
  view.failing.some(
    ({ component, message }) => component === MIGRATION && unsupported.test(message),
  )
    ? 'UnsupportedVersion'
    : 'MigrationFailed'

export const migrationWords = ({ plan, view }: Seen): string => {
  const pod = view.failing.find(({ component }) => component === MIGRATION)
  const said = pod?.message ? ` It ended with: ${ended(pod.message)}` : ''
  return `Migration Job ${plan?.job} failed.${said} Nothing was rolled out. It is tried again after two minutes, or once the Job is deleted or the image or the database is another one.`
}

export const failingWords = (failing: readonly Failing[]): string => {
  const [first] = failing
  const more = failing.length > 1 ? `, and ${failing.length - 1} more` : ''
  const why = first?.message ? `: ${first.message}` : ''
  return ended(`Pod ${first?.name}${more} cannot run: ${first?.reason}${why}`)
}

/** What programs say seldom ends as sentences do. */
const ended = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

export const servingWords = ({ part, workload }: SeenPart): string =>
  `${workload.ready} of ${part.replicas} ${part.component} pods serve`

/** Pods of services; those of migrations are told of with the Job. */
export const failingServices = ({ view }: Seen): readonly Failing[] =>
  view.failing.filter(({ component }) => component !== MIGRATION)
