/**
 * Tokens of their own contracts: their `transfer` events have three topics, without the name that asset
 * contracts add, and after CAP-67 a map as data.
 */
import { rpc, scValToNative } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LocalnetServer } from '../../../src/localnet/server/server.ts'
import { Deployer } from '../../support/contracts.ts'
import { addressValue, openWallet } from '../../support/payments.ts'
import { openWorld, type World } from './world.ts'

let world: World
const tokens = { honest: '', mapData: '' }
beforeAll(async () => {
  const deploy = async (localnet: LocalnetServer) => {
    const deployer = new Deployer(localnet)
    tokens.honest = await deployer.trickToken('honest')
    tokens.mapData = await deployer.trickToken('mapData')
    const assets = Object.values(tokens).map((contract) => ({
      contract,
      symbol: 'OWN',
      decimals: 7,
    }))
    return { assets }
  }
  world = await openWorld({ network: deploy })
})
afterAll(() => world[Symbol.asyncDispose]())

const amount = 123_456n

test.each([
  { token: 'honest', data: amount },
  { token: 'mapData', data: { amount } },
] as const)('a payment in the token $token is settled, and reported as such', async (row) => {
  const { stack, deployer, payer } = world
  const { localnet } = stack
  const asset = tokens[row.token]
  await deployer.mint(asset, payer.address)
  const { address: payTo } = await openWallet(localnet, 1n)
  const body = await world.pay({ asset, payTo, amount })
  const startLedger = localnet.network.latest.sequence + 1

  expect((await stack.post('/verify', body)).body).toMatchObject({ isValid: true })
  const { body: answer } = await stack.post('/settle', body)
  expect(answer).toMatchObject({ success: true, payer: payer.address })

  const sdk = new rpc.Server(localnet.httpUrl, { allowHttp: true })
  const filters = [{ type: 'contract' as const, contractIds: [asset] }]
  const { events } = await sdk.getEvents({ startLedger, filters })
  expect(
    events.map(({ txHash, topic, value }) => [
      txHash,
      ...topic.map((it) => scValToNative(it)),
      scValToNative(value),
    ]),
  ).toEqual([[answer.transaction, 'transfer', payer.address, payTo, row.data]])
  const balance = await deployer.call(asset, 'balance', addressValue(payTo))
  expect(scValToNative(balance)).toBe(amount)
})
