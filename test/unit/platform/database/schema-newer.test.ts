import { describe, expect, test } from 'vitest'
import { isCompatible, unknownMigrations } from '../../../../src/platform/database/schema-newer.ts'

const known = ['0001-first', '0002-second']

describe('a schema that a newer version migrated', () => {
  test('is used where the newer version only added', () => {
    expect(unknownMigrations([...known, '0003-third'], known)).toEqual({
      unknown: ['0003-third'],
      newer: undefined,
    })
  })

  test('is refused by a version that uses what a later one removed, and by that one only', () => {
    const removed = ['0003-third', '0004-contract-0003-drop']
    expect(unknownMigrations([...known, ...removed], known).newer?.message).toBe(
      'the database has 0004-contract-0003-drop, which this version does not know (its newest migration is 0002-second): run a newer version',
    )
    expect(isCompatible('0003-third', ['0004-contract-0003-drop'])).toBe(true)
    expect(isCompatible('0002-second', removed)).toBe(false)
  })

  test('is not that of another application', () => {
    expect(unknownMigrations(['001-posts'], known).newer?.message).toContain('another application')
    expect(unknownMigrations([], known)).toEqual({ unknown: [], newer: undefined })
  })
})
