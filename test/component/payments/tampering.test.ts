import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { changes, consistentChanges, signedChanges } from './tampering/exact-changes.ts'
import { singly, somePairsOf } from './tampering/sets.ts'
import { type Signing, TamperingWorld } from './tampering/tampering-world.ts'

/** Signed payments are changed in transit: in each field in turn, in some pairs of fields, and in whole sets. */
let world: TamperingWorld
beforeAll(async () => {
  world = await TamperingWorld.open()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const signings: Record<string, () => Signing> = {
  'an account with V2 credentials': () => ({ payer: world.payer, version: 'V2' }),
  'an account with V1 credentials': () => ({ payer: world.payer, version: 'V1' }),
  'a smart account with V2 credentials': () => ({ payer: world.smartAccount, version: 'V2' }),
  'a smart account with V1 credentials': () => ({ payer: world.smartAccount, version: 'V1' }),
}

describe.each(Object.entries(signings))('a payment of %s', (_, signing) => {
  test('is settled as it was signed', async () => {
    expect(await world.tamper(signing(), [])).toBeUndefined()
  })

  test('is settled as it was signed or refused, given any one change', async () => {
    expect(await world.tamperAll(signing(), singly(changes))).toEqual([])
  })

  test('is refused when everything but the signature was changed consistently', async () => {
    expect(await world.tamperAll(signing(), consistentChanges)).toEqual([])
  })
})

test('a payment of an account is settled as signed or refused, given two changes', async () => {
  const signing: Signing = { payer: world.payer, version: 'V2' }
  expect(await world.tamperAll(signing, somePairsOf(changes))).toEqual([])
})

test('a payment of a smart account is refused, given two changes to what was signed', async () => {
  const signing: Signing = { payer: world.smartAccount, version: 'V2' }
  expect(await world.tamperAll(signing, somePairsOf(signedChanges))).toEqual([])
})

test('in the end the ledger has the signed transfers and no others', () => {
  world.expectOnlySigned()
})
