import { afterAll, beforeAll, expect, test } from 'vitest'
import { pairsOf } from '../../tampering/sets.ts'
import { changes, changesOnLedger } from './tampering-changes.ts'
import { UptoTamperingWorld } from './tampering-world.ts'

/** Signed payments in the scheme `upto` are changed in every pair of fields; tampering.test.ts plays some pairs. */
let world: UptoTamperingWorld
beforeAll(async () => {
  world = await UptoTamperingWorld.open()
})
afterAll(() => world?.[Symbol.asyncDispose]())

test('a metered payment of an account is settled as signed or refused, given any two changes', async () => {
  expect(await world.tamperAll(world.payer, pairsOf(changes))).toEqual([])
})

test('a metered payment of a smart account is settled as signed or refused, given any two changes to what was signed', async () => {
  const signed = changesOnLedger.filter(({ harmless }) => !harmless)
  expect(await world.tamperAll(world.smartAccount, pairsOf(signed))).toEqual([])
})

test('in the end store and ledger have the settlements that were answered and no others', async () => {
  await world.expectOnlyAnswered()
})
