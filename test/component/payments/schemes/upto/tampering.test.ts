import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { singly, somePairsOf } from '../../tampering/sets.ts'
import { changes, changesOnLedger, consistentChanges } from './tampering-changes.ts'
import { UptoTamperingWorld } from './tampering-world.ts'

/** Signed payments in the scheme `upto` are changed in transit: in each field in turn, in whole sets, in some pairs. */
let world: UptoTamperingWorld
beforeAll(async () => {
  world = await UptoTamperingWorld.open()
})
afterAll(() => world?.[Symbol.asyncDispose]())

describe.each([
  { who: 'an account', payer: () => world.payer },
  { who: 'a smart account', payer: () => world.smartAccount },
])('a metered payment of $who', ({ payer }) => {
  test('is settled as it was signed or refused, given any one change', async () => {
    expect(await world.tamperAll(payer(), [[], ...singly(changes)])).toEqual([])
  })

  test('is refused when everything but the signature was changed consistently', async () => {
    expect(consistentChanges.length).toBeGreaterThan(10)
    expect(await world.tamperAll(payer(), consistentChanges)).toEqual([])
  })

  test('is settled by the contract as it was signed or not at all, without any check of ours', async () => {
    const problems: string[] = []
    for (const made of [[], ...singly(changesOnLedger), ...consistentChanges]) {
      problems.push(...(await world.settleUnchecked(payer(), made)))
    }
    expect(problems).toEqual([])
  })
})

test('a metered payment of an account is settled as signed or refused, given two changes', async () => {
  expect(await world.tamperAll(world.payer, somePairsOf(changes))).toEqual([])
})

test('a metered payment of a smart account is settled as signed or refused, given two changes to what was signed', async () => {
  const signed = changesOnLedger.filter(({ harmless }) => !harmless)
  expect(await world.tamperAll(world.smartAccount, somePairsOf(signed))).toEqual([])
})

test('in the end store and ledger have the settlements that were answered and no others', async () => {
  await world.expectOnlyAnswered()
})
