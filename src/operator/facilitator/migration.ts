import { worksWithThisSchema } from '../../store/migrate.ts'
import type { GateJob } from './gate-jobs.ts'
import { planGateJob } from './gate-jobs.ts'
import type { ObservedFacilitator } from './observe.ts'
import { MIGRATION } from './render/common.ts'
import type { Rendered } from './render.ts'

/** What an image says that refuses a database which a newer version has migrated. */
const refusal =
  /which this version does not know( \(its newest migration is (?<newest>\d{4}-\S+)\))?/

/** What an earlier version says although this one knows that it works with the schema. */
export const isRefusal = (message: string): boolean => refusal.test(message)

/**
 * Plans the migration Job. It counts as done where the database is newer than the image and the schema only has more
 * than the image needs: otherwise a rollback of the image would end every change of settings and Secrets.
 */
export function planMigration(observed: ObservedFacilitator, rendered: Rendered): GateJob {
  const job = planGateJob(observed, rendered.migration)
  if (job.result.state !== 'Failed' || !isCompatible(observed)) return job
  const { finishedAt } = job.result
  return {
    ...job,
    result: { state: 'Succeeded', finishedAt },
    create: undefined,
    retryMs: undefined,
  }
}

const isCompatible = ({ failing }: ObservedFacilitator): boolean =>
  failing.some(({ component, message }) => {
    const newest = component === MIGRATION ? refusal.exec(message)?.groups?.['newest'] : undefined
    return newest !== undefined && worksWithThisSchema(newest)
  })

/** What a migration says of a database that is newer than the image, which works with it; undefined otherwise. */
export function newerSchemaNote(observed: ObservedFacilitator): string | undefined {
  if (observed.migrationNote !== undefined) return observed.migrationNote
  if (!isCompatible(observed)) return undefined
  return observed.failing.find(({ component }) => component === MIGRATION)?.message
}
