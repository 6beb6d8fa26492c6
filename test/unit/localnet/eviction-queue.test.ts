import { describe, expect, it } from 'vitest'
import { EvictionQueue } from '../../../src/localnet/ledger/eviction.ts'

const entry = (liveUntil: number) => ({ entry: new Uint8Array(), liveUntil })

describe('EvictionQueue', () => {
  it('returns an entry once for a lifetime, however often it was written', () => {
    const schedule = new EvictionQueue()
    for (let write = 0; write < 3; write++) schedule.add('often', entry(5))
    schedule.add('extended', entry(5))
    schedule.add('extended', entry(8))
    expect(schedule.takeBefore(6)).toEqual(['often', 'extended'])
    expect(schedule.takeBefore(9)).toEqual(['extended'])
    expect(schedule.takeBefore(10)).toEqual([])
  })

  it('returns them in the order of their ends, and once, when many ledgers passed at once', () => {
    const schedule = new EvictionQueue()
    for (const end of [900, 70, 2_000_000_000, 400]) schedule.add(`until ${end}`, entry(end))
    expect(schedule.takeBefore(1_000_000_000)).toEqual(['until 70', 'until 400', 'until 900'])
    expect(schedule.takeBefore(2_000_000_000)).toEqual([])
    expect(schedule.takeBefore(2_000_000_001)).toEqual(['until 2000000000'])
  })

  it('keeps nothing for entries without a lifetime', () => {
    const schedule = new EvictionQueue()
    schedule.add('account', { entry: new Uint8Array() })
    expect(schedule.takeBefore(1_000)).toEqual([])
  })
})
