import { describe, expect, it } from 'vitest'
import type { Quote } from '../../../../../src/payments/checks/check-simulation.ts'
import type { Moment, Moments } from '../../../../../src/payments/engine/limits/limit.ts'
import {
  codesWithRetryAfter,
  LIMITS,
  limitAt,
  requireRefusalAt,
} from '../../../../../src/payments/engine/limits/limits.ts'
import { asStroops } from '../../../../../src/platform/core/amounts/stroops.ts'

const payer = 'GPAYER'
const funds = { spendable: asStroops(500n), reserve: asStroops(100n), fee: asStroops(300n) }
const shortage = {
  kind: 'over_funds',
  payer,
  amount: 10n,
  symbol: 'USDC',
  balance: { amount: 15n, ledger: 7 },
} as const
const higherBid = {} as Quote

interface Case<M extends Moment = Moment> {
  readonly moment: M
  readonly facts: Moments[M]
  /** Name of the limit that is reached, if one is. */
  readonly reached?: string
  readonly message?: string
}

const at = <M extends Moment>(
  moment: M,
  facts: Moments[M],
  reached?: string,
  message?: string,
): Case => ({
  moment,
  facts,
  ...(reached !== undefined && { reached }),
  ...(message !== undefined && { message }),
})

const paused = `payments of ${payer} failed on the ledger by its own fault; it is paused for 2 s more`
const unfunded = `the payer ${payer} holds 15 base units of USDC on ledger 7; its unfinished payments leave less than the 10 of this one`
const expired =
  'the authorization expired after ledger 9, while the payment waited for a channel; the latest is 9'

const cases: readonly Case[] = [
  at('verify', { payer, pausedForMs: 0 }),
  at('verify', { payer, pausedForMs: 1_001 }, 'payer paused', paused),
  at('verify', { payer, refusal: shortage }, "payer's funds", unfunded),
  at('request', { payer, pausedForMs: 0, isAdmitted: true }),
  at('request', { payer, pausedForMs: 1_001, isAdmitted: false }, 'payer paused', paused),
  at('request', { payer, pausedForMs: 0, isAdmitted: false }, 'admission'),
  at('simulation', { missed: 'line full' }, 'simulation line'),
  at('simulation', { missed: 'late' }, 'simulation in time'),
  at('claim', funds),
  at('claim', { ...funds, spendable: undefined }, "sponsor's funds"),
  at('claim', { ...funds, spendable: asStroops(299n) }, "sponsor's funds"),
  at('claim', { ...funds, spendable: asStroops(300n) }),
  at('claim', { ...funds, reserve: asStroops(501n) }, "sponsor's funds"),
  at('claim', { ...funds, reserve: asStroops(500n) }),
  at(
    'claim',
    { ...funds, refusal: { kind: 'over_budget' } },
    'hourly budget',
    'the fees of the last hour leave too little of the hourly budget for this one',
  ),
  at(
    'claim',
    { ...funds, refusal: { kind: 'over_key_share' } },
    "key's share",
    "this key's share of the hourly budget has too little left for this one",
  ),
  at('claim', { ...funds, refusal: shortage }, "payer's funds", unfunded),
  at('lease', { payer, channel: 'leased' }),
  at('lease', { payer, channel: 'none free' }, 'free channel'),
  at('lease', { payer, channel: 'late' }, 'channel in time'),
  at(
    'lease',
    { payer, channel: { missing: 'GCHANNEL' } },
    'channel on the ledger',
    'channel GCHANNEL does not exist on the ledger',
  ),
  at('lease', { payer, channel: 'leased', waited: { latestLedger: 8, expirationLedger: 9 } }),
  at(
    'lease',
    {
      payer,
      channel: 'leased',
      waited: { latestLedger: 9, expirationLedger: 9 },
      pausedForMs: 1_001,
    },
    'expired while it waited',
    expired,
  ),
  at(
    'lease',
    { payer, channel: 'leased', pausedForMs: 1_001 },
    'payer paused while it waited',
    paused,
  ),
  at(
    'send',
    { higherBid: undefined },
    'highest bid',
    'the network is busy: it asks for a higher fee than this service pays',
  ),
  at('send', { higherBid }, 'outbid'),
]

describe('the limits', () => {
  it.each(cases)('at $moment reach $reached: $facts', ({ moment, facts, reached, message }) => {
    const found = limitAt(moment, facts)
    expect(found?.limit.name).toBe(reached)
    expect(found && 'message' in found ? found.message : undefined).toBe(message)
  })

  it('are each reached by a case', () => {
    const reached = new Set(cases.map((each) => each.reached).filter((name) => name !== undefined))
    expect([...reached].toSorted()).toEqual(LIMITS.map(({ name }) => name).toSorted())
  })

  it('tell a caller when to come back for want of a channel alone', () => {
    expect([...codesWithRetryAfter]).toEqual(['settle_exact_stellar_channel_unavailable'])
    const withCode = LIMITS.filter(
      (each) => each.effect === 'refuse' && codesWithRetryAfter.has(each.code),
    )
    expect(withCode.every((each) => 'hasRetryAfter' in each)).toBe(true)
  })

  it('must be reached where a refusal is required', () => {
    expect(() => requireRefusalAt('claim', funds)).toThrow("the moment 'claim' refuses")
    expect(() => requireRefusalAt('send', { higherBid })).toThrow("the moment 'send' refuses")
  })
})
