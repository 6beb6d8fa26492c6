import { afterAll, beforeAll, describe } from 'vitest'
import { usdc } from '../../support/payments.ts'
import { accountCases } from './cases/accounts.ts'
import { authorizationCases, expiryCases } from './cases/authorization.ts'
import { operatorPolicyCases, protocolCases } from './cases/protocol.ts'
import { structureCases } from './cases/structure.ts'
import { proveRefusals } from './refusal-case.ts'
import { openWorld, type World } from './world.ts'

/** Refusals that need no simulation. */
let world: World
beforeAll(async () => {
  const bounded = { contract: usdc, symbol: 'USDC', decimals: 7, min: 10n, max: 10n ** 9n }
  world = await openWorld({ network: { assets: [bounded] } })
})
afterAll(() => world[Symbol.asyncDispose]())

describe.each([
  { stage: 'protocol', cases: protocolCases },
  { stage: 'operator policy', cases: operatorPolicyCases },
  { stage: 'structure', cases: structureCases },
  { stage: 'accounts and amount', cases: accountCases },
  { stage: 'authorization', cases: authorizationCases },
  { stage: 'expiry', cases: expiryCases },
])('$stage', ({ cases }) => proveRefusals(cases, () => world))
