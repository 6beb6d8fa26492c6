/** Versions decide by the names of migrations alone whether they can work with a schema. */
import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { migrations } from '../../../../src/platform/database/migrations/index.ts'
import { nextVersion, versionAfterNext } from '../../../support/later-migrations.ts'
import { faultsOf } from '../../../support/migration-names.ts'

const names = Object.keys(migrations)
const nextNames = Object.keys(nextVersion)

test('each migration has a file, and a number after all others', () => {
  expect(faultsOf(names, names)).toEqual([])
  const files = globSync('src/platform/database/migrations/0*.ts').map((file) =>
    basename(file, '.ts'),
  )
  expect(files.toSorted()).toEqual(names)
})

test('the next version may add, and only the one after it may remove that', () => {
  const last = Object.keys(versionAfterNext)
  expect(faultsOf(nextNames, names)).toEqual([])
  expect(faultsOf(last, nextNames)).toEqual([])
  expect(faultsOf(last, names)).toEqual([expect.stringMatching(/: no release has \d{4} yet$/)])
})

test('wrong names are found', () => {
  const wrong = ['0001-first', '0003-more', '0003-again', '0004-contract-old', '5th-x']
  expect(faultsOf(wrong, ['0001-first'])).toEqual([
    '0003-again: not after the one before',
    '0004-contract-old: names no migration',
    '5th-x: form',
  ])
  expect(faultsOf(['0001-first', '0002-late', '0003-more'], ['0001-first', '0003-more'])).toEqual([
    '0002-late: before a released one',
  ])
  expect(faultsOf(['0001-renamed'], ['0001-first'])).toEqual([
    '0001-renamed: before a released one',
    '0001-first: is gone',
  ])
  expect(faultsOf(['0001-first', '0002-contract-0001-less'], ['0001-first'])).toEqual([])
})
