import { leastMigrationFor } from '../../src/platform/database/schema-newer.ts'

/** What is wrong with the names of a version's migrations, given those of the release before. */
export function faultsOf(all: readonly string[], released: readonly string[]): readonly string[] {
  const numbers = all.map((name) => name.slice(0, 4))
  const releasedNumbers = released.map((name) => name.slice(0, 4))
  const newestReleased = releasedNumbers.toSorted().at(-1) ?? ''
  const faults = all.flatMap((name, at) => {
    const least = leastMigrationFor(name)
    const isNew = !released.includes(name)
    return [
      ...(/^\d{4}-(contract-\d{4}-)?[a-z][a-z0-9-]*$/.test(name) ? [] : [`${name}: form`]),
      ...(at === 0 || numbers[at]! > numbers[at - 1]! ? [] : [`${name}: not after the one before`]),
      ...(name.includes('contract') && least === undefined ? [`${name}: names no migration`] : []),
      ...(isNew && numbers[at]! <= newestReleased ? [`${name}: before a released one`] : []),
      // The release before must already work without what goes: replicas of both versions run during a rollout.
      ...(isNew && least !== undefined && !releasedNumbers.includes(least)
        ? [`${name}: no release has ${least} yet`]
        : []),
    ]
  })
  const gone = released.filter((name) => !all.includes(name)).map((name) => `${name}: is gone`)
  return [...faults, ...gone]
}
