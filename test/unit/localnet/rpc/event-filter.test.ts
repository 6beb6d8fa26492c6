import { nativeToScVal, xdr } from '@stellar/stellar-sdk'
import { describe, expect, it } from 'vitest'
import {
  EventFilter,
  type FilteredEvent,
  passesFilters,
  problemOfFilters,
} from '../../../../src/localnet/rpc/event-filter.ts'

const symbol = (text: string): string => xdr.ScVal.scvSymbol(text).toXdr('base64')
const number = (value: number): string => nativeToScVal(value, { type: 'u32' }).toXdr('base64')
const CONTRACT = 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA'
const OTHER = 'CDLZFC3SYJYDZT7K67VZ75HPJVIEUVNIXF47ZG2FB2RMQQVU2HHGCYSC'
const event: FilteredEvent = {
  type: 'contract',
  contractId: CONTRACT,
  topics: [symbol('transfer'), number(1), number(2)],
}

describe('passesFilters', () => {
  it.each<[string, EventFilter[], boolean]>([
    ['no filter', [], true],
    ['an empty filter', [{}], true],
    ['its type', [{ type: 'contract' }], true],
    ['another type', [{ type: 'system' }], false],
    ['one of two types', [{ type: 'system,contract' }], true],
    ['its contract', [{ contractIds: [OTHER, CONTRACT] }], true],
    ['another contract', [{ contractIds: [OTHER] }], false],
    ['all of its topics', [{ topics: [[symbol('transfer'), number(1), number(2)]] }], true],
    ['too few topics', [{ topics: [[symbol('transfer')]] }], false],
    ['too many topics', [{ topics: [[symbol('transfer'), '*', '*', '*']] }], false],
    ['a wildcard in the right place', [{ topics: [['*', number(1), '*']] }], true],
    ['a wildcard beside a wrong value', [{ topics: [['*', number(9), '*']] }], false],
    ['a prefix and **', [{ topics: [[symbol('transfer'), '**']] }], true],
    ['all topics and **', [{ topics: [['*', '*', '*', '**']] }], true],
    ['more than all topics and **', [{ topics: [['*', '*', '*', '*', '**']] }], false],
    ['one of two topic filters', [{ topics: [['*'], ['**']] }], true],
    ['one of two filters', [{ type: 'system' }, { contractIds: [CONTRACT] }], true],
    ['the right contract but a wrong topic', [{ contractIds: [CONTRACT], topics: [['*']] }], false],
  ])('filters an event by %s', (_, filters, passes) => {
    expect(passesFilters(filters, event)).toBe(passes)
  })
})

describe('problemOfFilters', () => {
  const many = (count: number) => Array.from({ length: count }, () => CONTRACT)
  it.each<[EventFilter[], string | undefined]>([
    [[{ type: 'contract', contractIds: many(5), topics: [['*', '**']] }], undefined],
    [Array.from({ length: 6 }, () => ({})), 'maximum 5 filters per request'],
    [
      [{ type: 'diagnostic' }],
      "filter 1 invalid: filter type invalid: if set, type must be either 'system' or 'contract'",
    ],
    [[{}, { contractIds: many(6) }], 'filter 2 invalid: maximum 5 contract IDs per filter'],
    [[{ contractIds: [CONTRACT, 'CA'] }], 'filter 1 invalid: contract ID 2 invalid'],
    [
      [{ topics: Array.from({ length: 6 }, () => ['*']) }],
      'filter 1 invalid: maximum 5 topics per filter',
    ],
    [[{ topics: [[]] }], 'filter 1 invalid: topic 1 invalid: topic must have at least 1 segment'],
    [
      [{ topics: [['*', '*', '*', '*', '*']] }],
      'filter 1 invalid: topic 1 invalid: topic cannot have more than 4 segments',
    ],
    [
      [{ topics: [['*'], ['**', '*']] }],
      "filter 1 invalid: topic 2 invalid: segment 1 invalid: wildcard '**' is only allowed as the last segment",
    ],
  ])('returns for %j: %s', (filters, problem) => {
    expect(problemOfFilters(filters)).toBe(problem)
  })

  it('reads a segment only as a wildcard or an SCVal', () => {
    expect(EventFilter.safeParse({ topics: [['*', symbol('a')]] }).success).toBe(true)
    expect(EventFilter.safeParse({ topics: [['transfer']] }).success).toBe(false)
  })
})
