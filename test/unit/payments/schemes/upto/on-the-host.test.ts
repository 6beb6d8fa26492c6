import { xdr } from '@stellar/stellar-sdk'
import { beforeEach, describe, expect, it, test } from 'vitest'
import type { UptoPlan } from '../../../../support/upto-payments.ts'
import { address, call as hostCall, run } from '../../../localnet/soroban/invocation.ts'
import { ledger, payer, seller, smartAccount, token, usdc } from '../../protocol/host-world.ts'
import { simulationRefusals } from './simulation-refusals.ts'
import { accepted, apply, check, contract, openUpto, payment, policy } from './upto-world.ts'

/** checkSimulation on simulations of the real Soroban host and the real settlement contract. */

beforeEach(openUpto)

describe('on the real host, in the scheme upto', () => {
  test.each<{ who: string; from?: () => Promise<string>; plan?: Partial<UptoPlan> }>([
    { who: 'an account with V1 credentials', plan: { version: 'V1' } },
    { who: 'an account with V2 credentials', plan: { version: 'V2' } },
    { who: 'a smart account', from: () => smartAccount('quiet') },
    { who: 'a smart account that emits an event', from: () => smartAccount('loud') },
    {
      who: 'a smart account whose check makes a third contract emit an event',
      from: () => smartAccount('ringing'),
    },
  ])('$who may pay the ceiling, a part and nothing', async ({ from, plan }) => {
    const who = await from?.()
    for (const amount of [100_000n, 1n, 0n]) {
      const given = await payment({ ...plan, amount, ...(who && { from: who }) })
      expect(accepted(given).resourceFee).toBeGreaterThan(0n)
    }
    const verified = await payment({ ...plan, ...(who && { from: who }) }, 'verify')
    expect(accepted(verified).resourceFee).toBeGreaterThan(0n)
  })

  it('may pay a contract', async () => {
    accepted(await payment({ payTo: await smartAccount('quiet') }))
  })

  it('moves the amount alone, and leaves no allowance that another could use', async () => {
    apply(await payment({ amount: 40_000n }))
    expect(ledger.trustlineBalance(seller, usdc)).toBe(40_000n)
    const { value } = await run(
      ledger,
      hostCall(token, 'allowance', ...[payer.publicKey(), contract].map(address)),
    )
    expect(xdr.ScVal.fromXdr(value)).toMatchObject({ type: 'scvI128' })
  })

  test.each(simulationRefusals)('answers $code when $when', async ({ code, says, given }) => {
    const built = await given()
    const { payment: refused, policy: under = policy } =
      'payment' in built ? built : { payment: built }
    const checked = check(refused, under)
    expect(checked.ok ? undefined : checked.refusal).toEqual({
      code,
      message: expect.stringContaining(says),
      payer: refused.payer,
    })
  })

  it('refuses a call that is not the authority', async () => {
    const { authority: _, ...given } = await payment()
    expect(check(given)).toMatchObject({
      refusal: { code: 'invalid_exact_stellar_payload_unauthorized_invocation' },
    })
  })
})
