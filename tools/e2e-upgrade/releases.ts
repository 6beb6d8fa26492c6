/** A version that was published: its tag is `v` and the version. */
export interface Release {
  readonly version: string
  /** For clones without tags. */
  readonly commit: string
  /** Its migrations are never edited, and those after it must let it work on. */
  readonly newestMigration: string
  /** Its pods answer 503 over kept connections while they stop, and end idle ones although a request may be on its way: a seller repeats those. */
  readonly refusesWhileStopping?: true
  /** Its operator takes a schema that its own image refuses for a compatible one: not the migration holds the rollout, the preflight does. */
  readonly overlooksRefusal?: true
}

/** Oldest first. Each release adds itself here, with the schema that it has in `test/fixtures/schemas`. */
export const releases: readonly [Release, ...Release[]] = [
  {
    version: '0.1.0',
    commit: '7b07be093c517d5092f2060b93e3f873c1162760',
    newestMigration: '0020-store-identity',
    refusesWhileStopping: true,
    overlooksRefusal: true,
  },
]

export const latestRelease: Release = releases.at(-1) ?? releases[0]
