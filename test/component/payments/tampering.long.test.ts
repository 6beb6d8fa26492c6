import { afterAll, beforeAll, expect, test } from 'vitest'
import { changes, signedChanges } from './tampering/exact-changes.ts'
import { pairsOf } from './tampering/sets.ts'
import { TamperingWorld } from './tampering/tampering-world.ts'

/** Signed payments are changed in transit in every pair of fields; tampering.test.ts plays some pairs. */
let world: TamperingWorld
beforeAll(async () => {
  world = await TamperingWorld.open()
})
afterAll(() => world?.[Symbol.asyncDispose]())

test('a payment of an account is settled as signed or refused, given any two changes', async () => {
  const signing = { payer: world.payer, version: 'V2' } as const
  expect(await world.tamperAll(signing, pairsOf(changes))).toEqual([])
})

test('a payment of a smart account is refused, given any two changes to what was signed', async () => {
  const signing = { payer: world.smartAccount, version: 'V2' } as const
  expect(await world.tamperAll(signing, pairsOf(signedChanges))).toEqual([])
})

test('in the end the ledger has the signed transfers and no others', () => {
  world.expectOnlySigned()
})
