/** Versions decide by the names of migrations alone whether they can work with a schema. */
import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { LEAST_MIGRATION } from '../../../src/operator/channel-pool/schema.ts'
import { migrations } from '../../../src/store/migrations/index.ts'
import { leastMigrationFor } from '../../../src/store/schema-newer.ts'
import { latestRelease, releases } from '../../../tools/e2e-upgrade/releases.ts'

const names = Object.keys(migrations)

/** What is wrong with the names, given those of a release. */
function faultsOf(all: readonly string[], newestReleased: string): readonly string[] {
  const numbers = all.map((name) => Number(name.slice(0, 4)))
  return all.flatMap((name, at) => {
    const least = leastMigrationFor(name)
    return [
      ...(/^\d{4}-(contract-\d{4}-)?[a-z][a-z0-9-]*$/.test(name) ? [] : [`${name}: form`]),
      ...(at === 0 || numbers[at]! > numbers[at - 1]! ? [] : [`${name}: not after the one before`]),
      ...(name.includes('contract') && least === undefined ? [`${name}: names no migration`] : []),
      // The release before must already work without what goes: replicas of both versions run during a rollout.
      ...(least !== undefined && name > newestReleased && least > newestReleased.slice(0, 4)
        ? [`${name}: no release has ${least} yet`]
        : []),
    ]
  })
}

test('each migration has a number after all others, and a contract one names a released migration', () => {
  expect(faultsOf(names, latestRelease.newestMigration)).toEqual([])
  expect(
    globSync('src/store/migrations/0*.ts')
      .map((file) => basename(file, '.ts'))
      .toSorted(),
  ).toEqual(names)
})

test('a migration that removes something in the release that stops using it is found', () => {
  expect(
    faultsOf(
      [
        '0001-first',
        '0002-more',
        '0002-again',
        '0003-contract-0002-less',
        '0004-contract-old',
        '5th-x',
      ],
      '0001-first',
    ),
  ).toEqual([
    '0002-again: not after the one before',
    '0003-contract-0002-less: no release has 0002 yet',
    '0004-contract-old: names no migration',
    '5th-x: form',
    '5th-x: not after the one before',
  ])
  expect(faultsOf(['0001-first', '0002-contract-0001-less'], '0001-first')).toEqual([])
})

test('no migration is put between those of a release', () => {
  for (const { newestMigration } of releases) expect(names).toContain(newestMigration)
})

test('an operator manages pools whose database was migrated by the release before', () => {
  expect(LEAST_MIGRATION <= latestRelease.newestMigration).toBe(true)
})
