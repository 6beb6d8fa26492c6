import { afterAll, beforeAll, describe } from 'vitest'
import { usdc } from '../../support/payments.ts'
import { balanceCases, coupon, issuerCases, lumens, signatureCases } from './cases/ledger.ts'
import { proveRefusals } from './refusal-case.ts'
import { openWorld, type World } from './world.ts'

/** Refusals that the network's host decides. */
let world: World
beforeAll(async () => {
  const assets = [
    { contract: usdc, symbol: 'USDC', decimals: 7 },
    { contract: lumens, symbol: 'XLM', decimals: 7 },
    { contract: coupon, symbol: 'COUPON', decimals: 7 },
  ]
  world = await openWorld({ network: { assets } })
})
afterAll(() => world[Symbol.asyncDispose]())

describe.each([
  { stage: 'signatures', cases: signatureCases },
  { stage: 'balances', cases: balanceCases },
  { stage: 'the issuer', cases: issuerCases },
])('$stage', ({ cases }) => proveRefusals(cases, () => world))
