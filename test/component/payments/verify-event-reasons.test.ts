import { afterAll, beforeAll } from 'vitest'
import type { LocalnetServer } from '../../../src/localnet/server/server.ts'
import { Deployer, type TrickTokenMode, trickTokenModes } from '../../support/contracts.ts'
import { usdc } from '../../support/payments.ts'
import { type TokenWorld, tokenCases } from './cases/token.ts'
import { proveRefusals } from './refusal-case.ts'
import { openWorld } from './world.ts'

/** Refusals of the effects of a call, on a facilitator that accepts tokens of every kind. */
let world: TokenWorld
beforeAll(async () => {
  const tokens = new Map<TrickTokenMode, string>()
  let bell = ''
  const deploy = async (localnet: LocalnetServer) => {
    const deployer = new Deployer(localnet)
    bell = await deployer.bell()
    for (const mode of Object.keys(trickTokenModes) as TrickTokenMode[]) {
      tokens.set(mode, await deployer.trickToken(mode, bell))
    }
    const contracts = [usdc, ...tokens.values()]
    return { assets: contracts.map((contract) => ({ contract, symbol: 'ANY', decimals: 7 })) }
  }
  world = { ...(await openWorld({ network: deploy })), tokens, bell }
})
afterAll(() => world[Symbol.asyncDispose]())

proveRefusals(
  tokenCases(() => world),
  () => world,
)
