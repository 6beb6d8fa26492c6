/** A version with its image, as `tools/e2e-upgrade/run.ts` gives it to the tests. */
export interface BuiltRelease {
  /** With charts and docs. */
  readonly folder: string
  readonly version: string
  readonly image: string
  /** The file of the image. */
  readonly archive: string
}

/** Its value is the previous version, the next one and its successor, as JSON. */
export const RELEASES_VARIABLE = 'SVC_E2E_RELEASES'

interface BuiltReleases {
  readonly previous: BuiltRelease
  readonly candidate: BuiltRelease
  readonly successor: BuiltRelease
}

/** @throws Error outside of `make e2e-upgrade` */
export function builtReleases(): BuiltReleases {
  const text = process.env[RELEASES_VARIABLE]
  if (text === undefined) throw new Error('Start these tests with: make e2e-upgrade')
  const [previous, candidate, successor] = JSON.parse(text) as BuiltRelease[]
  if (!previous || !candidate || !successor) throw new Error(`${RELEASES_VARIABLE} lacks a release`)
  return { previous, candidate, successor }
}
