import { afterAll, beforeAll, expect, test } from 'vitest'
import { decimalXlm } from '../../../../../src/platform/core/amounts/stroops.ts'
import { accountOf, newSponsor, XLM } from '../../../../support/sponsors.ts'
import { SUBMIT_FEE } from '../../../../support/submit-as.ts'
import { thiefOf } from '../../../../support/thief.ts'
import { atNumber } from '../../../../support/write-gate.ts'
import { openRotateWorld, type RotateWorld } from './rotate-world.ts'

let world: RotateWorld
beforeAll(async () => {
  world = await openRotateWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const STOLEN = 40n * XLM

/** A pair whose old seed somebody else has, who moves the XLM to an account of 1 XLM. */
async function robbed() {
  const { ledgers, fund } = world.admin
  const pair = await world.pair('emergency')
  const loot = newSponsor()
  await fund(loot, XLM)
  const balanceOf = (address: string) => accountOf(ledgers, address)?.balance ?? 0n
  return { pair, loot, balanceOf, thief: thiefOf(ledgers, pair.old, loot.address) }
}

test('what a thief takes while svc rotate runs is reported to the stroop, and the rest is saved', {
  timeout: 240_000,
}, async () => {
  const { pair, loot, balanceOf, thief } = await robbed()
  // The command has read the balance, leased a channel, and is about to send its first transaction.
  await using servers = await world.gated({
    stop: atNumber(2, 'before'),
    atStop: async () => {
      await thief.spends(STOLEN)
      await thief.mergesChannel()
    },
  })
  const had = balanceOf(pair.old.address)
  const got = balanceOf(pair.young.address)
  const ran = await pair.run(servers.env)
  expect(ran, ran.err).toMatchObject({ code: 0 })
  expect(ran.lines).toMatchObject([
    {
      ok: true,
      mode: 'emergency',
      created: 3,
      // Two channels and the authority.
      merged: 3,
      gone: 1,
      lostXlm: decimalXlm(STOLEN + 2n * SUBMIT_FEE),
      leftXlm: null,
    },
  ])
  expect(ran.err).toContain(`${decimalXlm(STOLEN + 2n * SUBMIT_FEE)} XLM`)
  expect(balanceOf(loot.address)).toBe(XLM + STOLEN)
  const [{ sweptXlm }] = ran.lines
  const { paid } = pair
  expect(balanceOf(pair.old.address)).toBe(0n)
  // What both had is where the report says: with the thief, with the new sponsor, or charged by the ledger.
  expect(balanceOf(pair.young.address)).toBe(had + got - STOLEN - paid)
  expect(sweptXlm).toMatch(/^59\.99\d+$/)
})

test('what a thief took before svc rotate runs is not its loss, and the rest is saved', {
  timeout: 240_000,
}, async () => {
  const { pair, loot, balanceOf, thief } = await robbed()
  await thief.mergesChannel()
  await thief.spends(STOLEN)
  const had = balanceOf(pair.old.address) + balanceOf(pair.young.address)
  pair.begin()
  const ran = await pair.run()
  expect(ran, ran.err).toMatchObject({ code: 0 })
  expect(ran.lines).toMatchObject([{ ok: true, merged: 3, gone: 1, lostXlm: '0', leftXlm: null }])
  await pair.expectDone()
  expect(balanceOf(pair.young.address)).toBe(had - pair.paid)
  expect(balanceOf(loot.address)).toBe(XLM + STOLEN)
})
