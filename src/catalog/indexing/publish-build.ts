import type { Clock } from '../../platform/core/time/clock.ts'
import { withTimeLimit } from '../../platform/core/time/time-limit.ts'
import { startWakeableLoop } from '../../platform/core/time/wakeable-loop.ts'
import type { Db } from '../../platform/database/schema.ts'
import {
  deleteSearchBuild,
  type SearchBuild,
  writeSearchBuild,
} from '../store/discovery/search-builds.ts'

/** The report of this process on its index; `at` by its own clock. */
export type ReportedBuild = Omit<SearchBuild, 'ageSeconds'> & { readonly at: number }

export interface BuildPublisherOptions {
  readonly db: Db
  readonly replica: string
  readonly clock: Clock
  /** Undefined before the first build has ended. */
  readonly read: () => ReportedBuild | undefined
  readonly onError: (error: unknown) => void
}

export interface BuildPublisher extends AsyncDisposable {
  /** There is something new to publish. */
  wake(): void
}

/** A third of the time after which a process counts as dead. */
const HEARTBEAT_MS = 10_000
const STOP_LIMIT_MS = 2_000

/** Publishes this process's index in the store, where the facilitator pods read it for `/health`. */
export function publishBuilds(options: BuildPublisherOptions): BuildPublisher {
  const { db, replica, clock, read, onError } = options
  const loop = startWakeableLoop({
    run: async () => {
      const build = read()
      if (!build) return
      const { at, ...facts } = build
      await writeSearchBuild(db, replica, facts, Math.max(0, clock.now() - at))
    },
    pauseMs: HEARTBEAT_MS,
    clock,
    onError,
  })
  const takeBack = async () => {
    // First the loop: a heartbeat on its way would be written after the deletion.
    await loop[Symbol.asyncDispose]()
    await deleteSearchBuild(db, replica)
  }
  return {
    wake: () => loop.wake(),
    [Symbol.asyncDispose]: () =>
      withTimeLimit({ clock, ms: STOP_LIMIT_MS }, takeBack).catch(onError),
  }
}
