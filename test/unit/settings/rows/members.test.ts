import { describe, expect, expectTypeOf, test } from 'vitest'
import { operatorSettings } from '../../../../src/settings/operator.ts'
import { catalogSettings } from '../../../../src/settings/rows/catalog.ts'
import { explorerSettings } from '../../../../src/settings/rows/explorer.ts'
import { integer, text } from '../../../../src/settings/rows/kinds.ts'
import { membersOf, type SettingsTable, settingsTable } from '../../../../src/settings/rows/row.ts'
import { serviceSettings } from '../../../../src/settings/rows/service.ts'
import { networkSettings } from '../../../../src/settings/sections/network-settings.ts'

const table = settingsTable({
  RATE_PER_MINUTE: { help: '', ...integer(0, 9, 1) },
  FLOOR: { help: '', member: 'fee.bid.floor', ...integer(0, 9, 2) },
  CAP: { help: '', member: 'fee.bid.cap', ...integer(0, 9, 3) },
  PAYER: { help: '', member: 'fee.payer', ...text('x') },
  SWITCH: { help: '', member: false, ...text('y') },
})

describe('the members that settings make', () => {
  test('have the name of the variable or the place that the row names', () => {
    const settings = { RATE_PER_MINUTE: 4, FLOOR: 5, CAP: 6, PAYER: 'p', SWITCH: 's' }
    const members = membersOf(table, settings)
    expect(members).toEqual({ ratePerMinute: 4, fee: { bid: { floor: 5, cap: 6 }, payer: 'p' } })
    expectTypeOf(members.fee.bid.floor).toEqualTypeOf<number>()
    expectTypeOf<keyof typeof members>().toEqualTypeOf<'ratePerMinute' | 'fee'>()
  })

  test.each<[string, SettingsTable]>([
    ['a service', serviceSettings],
    ['the catalog', catalogSettings],
    ['the explorer', explorerSettings],
    ['a network', networkSettings],
    ['the operator', operatorSettings],
  ])('of %s have places of their own', (_of, rows) => {
    const named = Object.entries(rows).filter(([, { member }]) => member !== false)
    const names = Object.fromEntries(Object.keys(rows).map((name) => [name, name]))
    const leaves = (value: unknown): unknown[] =>
      typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [value]
    const placed = leaves(membersOf(rows, names))
    expect(placed.toSorted()).toEqual(named.map(([name]) => name).toSorted())
  })
})
