import { afterAll, beforeAll, describe } from 'vitest'
import { usdc } from '../../support/payments.ts'
import { staticRefusals } from '../../support/refusals/static-refusals.ts'
import { expiryCases } from './cases/expiry.ts'
import { proveRefusals } from './refusal-case.ts'
import { openWorld, type World } from './world.ts'

/** Refusals that need no simulation. */
let world: World
beforeAll(async () => {
  const bounded = { contract: usdc, symbol: 'USDC', decimals: 7, min: 10n, max: 10n ** 9n }
  world = await openWorld({ network: { assets: [bounded] } })
})
afterAll(() => world[Symbol.asyncDispose]())

describe.each([...staticRefusals, { stage: 'expiry', rows: expiryCases }])('$stage', ({ rows }) =>
  proveRefusals(rows, () => world),
)
