/**
 * Payments on a network whose meta has the changes of each operation in a random order, as a real network's
 * may have. To run other tests of payments so: SHUFFLE_CHANGES=1 npx vitest run test/component/payments
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { transactionsAfter, transfersOf, usdcOf } from '../../support/ledger-view.ts'
import { muxed, openWallet, usdc, type Wallet } from '../../support/payments.ts'
import { openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ shuffleChanges: 20_260_922 })
})
afterAll(() => world[Symbol.asyncDispose]())

const amount = 123_456n

interface Plan {
  readonly payer: () => Promise<Wallet>
  readonly payTo: (address: string) => string
}

const plans: Record<string, Plan> = {
  'an account pays an account': { payer: async () => world.payer, payTo: (address) => address },
  'an account pays a muxed account': {
    payer: async () => world.payer,
    payTo: (address) => muxed(address),
  },
  'a smart account pays an account': {
    payer: () => world.deployer.smartAccount(),
    payTo: (address) => address,
  },
}

test.each(Object.entries(plans))('%s', async (_, plan) => {
  const { stack } = world
  const { network } = stack.localnet
  const payer = await plan.payer()
  const { address } = await openWallet(stack.localnet, 1n)
  const body = await world.pay({ payer, payTo: plan.payTo(address), amount })
  const before = network.latest.sequence

  expect((await stack.post('/verify', body)).body).toMatchObject({ isValid: true })
  const { body: answer } = await stack.post('/settle', body)
  expect(answer).toMatchObject({ success: true })

  const [settled, ...others] = transactionsAfter(network, before)
  expect(others).toEqual([])
  if (!settled) throw new Error('nothing was settled')
  expect(settled.hash).toBe(answer.transaction)
  expect(transfersOf(settled)).toMatchObject([
    { contract: usdc, from: payer.address, to: address, amount },
  ])
  expect(usdcOf(network, address)).toBe(amount + 1n)
})
