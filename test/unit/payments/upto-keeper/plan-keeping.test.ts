import { describe, expect, it } from 'vitest'
import { planKeeping } from '../../../../src/payments/upto-keeper/plan-keeping.ts'
import type { ContractEntries } from '../../../../src/stellar/contracts/contract-entries.ts'

const contract = 'CUPTO'
const options = { enabled: true, autoRestore: true, floorLedgers: 100, targetLedgers: 500 }

const ledger = (instance: number | undefined, code: number | undefined): ContractEntries => ({
  latestLedger: 1,
  maxTtl: 10_000,
  wasmHash: instance === undefined ? undefined : 'ab',
  instance: instance === undefined ? undefined : { key: 'I', ttl: instance },
  code: code === undefined ? undefined : { key: 'C', ttl: code },
})

const plan = (entries: ContractEntries, changes: Partial<typeof options> = {}) =>
  planKeeping({ network: 'stellar:pubnet', contract, entries }, { ...options, ...changes })

describe('what the keeper plans', () => {
  it('is nothing while both are at the floor or above', () => {
    expect(plan(ledger(100, 101))).toEqual({ do: 'nothing' })
  })

  it.each([
    { entries: ledger(99, 400), says: 'the instance has 99 left, fewer than 100' },
    { entries: ledger(50, 7), says: 'the code has 7 left, fewer than 100' },
    { entries: ledger(0, 0), says: 'the instance has 0 left' },
  ])('is to extend both when $says', ({ entries, says }) => {
    expect(plan(entries)).toMatchObject({
      do: 'extend',
      keys: ['I', 'C'],
      toLedgers: 500,
      plan: expect.stringContaining(says),
    })
  })

  it.each([
    { entries: ledger(-1, 3), keys: ['I'], names: 'restore instance of' },
    { entries: ledger(3, -1), keys: ['C'], names: 'restore code of' },
    { entries: ledger(-1, -1), keys: ['I', 'C'], names: 'restore instance and code of' },
  ])('is to $names it first when that is archived', ({ entries, keys, names }) => {
    const step = { do: 'restore', keys, plan: expect.stringContaining(names) }
    expect(plan(entries)).toMatchObject(step)
    expect(plan(entries, { autoRestore: false })).toEqual({
      do: 'ask',
      plan: expect.stringMatching(/svc upto restore, or set PUBNET_UPTO_AUTO_RESTORE=true$/),
    })
  })

  it.each([
    { entries: ledger(undefined, undefined), says: /no contract CUPTO on stellar:pubnet.*PUBNET_/ },
    { entries: ledger(5, undefined), says: /no code on stellar:pubnet/ },
    { entries: { ...ledger(5, undefined), wasmHash: undefined }, says: /runs no Wasm code/ },
  ])('fails with a sentence when there is nothing to keep: $says', ({ entries, says }) => {
    expect(plan(entries)).toEqual({ do: 'fail', error: expect.stringMatching(says) })
  })

  it('stays within the longest TTL of the network, without an extension in every round', () => {
    const short = (ttl: number) => ({ ...ledger(ttl, ttl), maxTtl: 60 })
    expect(plan(short(29))).toMatchObject({ do: 'extend', toLedgers: 60 })
    expect(plan(short(30))).toEqual({ do: 'nothing' })
  })
})
