import { describe, expect, expectTypeOf, test } from 'vitest'
import { integer, text } from '../../../../src/settings/rows/kinds.ts'
import { membersOf, settingsTable } from '../../../../src/settings/rows/row.ts'

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
})
