import { describe, expect, it } from 'vitest'
import { refuseAtLimit } from '../../../../../src/payments/engine/answers/refuse-at-limit.ts'
import { LIMITS } from '../../../../../src/payments/engine/limits/limits.ts'
import type { ServedNetwork } from '../../../../../src/payments/engine/network/served-network.ts'
import { NetworkCounters } from '../../../../../src/payments/health/network/network-counters.ts'
import { reasons, settleCodes } from '../../../../../src/payments/protocol/reasons.ts'
import type { Payment } from '../../../../../src/payments/schemes/scheme.ts'
import { schemesNamed } from '../../../../../src/payments/schemes/schemes.ts'
import { createMetrics } from '../../../../../src/platform/telemetry/metrics/metrics.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'
import { payer, request } from '../../protocol/payment-builder.ts'

const network = 'stellar:testnet'
const expiredOfExact = schemesNamed('exact')[0]?.rules.settle.codes.expired ?? ''

async function refusedBy(name: string, message?: string) {
  const limit = LIMITS.find((each) => each.name === name)
  if (limit?.effect !== 'refuse') throw new Error(`no limit '${name}' refuses`)
  const [scheme] = schemesNamed('exact')
  const counters = new NetworkCounters(network, new FakeClock())
  const metrics = createMetrics()
  const limited = {
    network: { id: network, counters } as unknown as ServedNetwork,
    payment: { scheme, phase: 'settle', payer, request: await request() } as unknown as Payment,
  }
  const result = refuseAtLimit(metrics, limited, { limit, message })
  const { text } = await metrics.expose()
  return {
    result,
    counted: text
      .split('\n')
      .filter((line) => /^svc_(payer_refusals|settlements_not).* 1$/.test(line)),
    hour: counters.drain().map(({ kind }) => kind),
  }
}

const ofPayer = (rule: string) =>
  `svc_payer_refusals_total{network="stellar:testnet",rule="${rule}"} 1`

const { payerPaused, channelUnavailable, sponsorUnavailable } = settleCodes

describe('a settlement that a limit refuses', () => {
  it.each<{ name: string; code: string; counted?: string; hour?: string; isCallersFault?: true }>([
    { name: 'payer paused', code: payerPaused, counted: ofPayer('paused') },
    {
      name: 'admission',
      code: channelUnavailable,
      counted: 'svc_settlements_not_admitted_total{network="stellar:testnet"} 1',
      hour: 'lease_timeout',
    },
    { name: "sponsor's funds", code: sponsorUnavailable },
    { name: 'hourly budget', code: sponsorUnavailable },
    {
      name: "key's share",
      code: sponsorUnavailable,
      counted: ofPayer('key_share'),
      isCallersFault: true,
    },
    { name: "payer's funds", code: 'insufficient_funds', counted: ofPayer('funds') },
    { name: 'channel in time', code: channelUnavailable, hour: 'lease_timeout' },
    // A member of the scheme's own codes.
    { name: 'expired while it waited', code: expiredOfExact },
  ])('by $name is answered with $code', async ({ name, code, counted, hour, isCallersFault }) => {
    const refused = await refusedBy(name)
    expect(refused).toEqual({
      result: {
        response: expect.objectContaining({ success: false, errorReason: code, transaction: '' }),
        ...(isCallersFault && { isCallersFault }),
      },
      counted: counted === undefined ? [] : [counted],
      hour: hour === undefined ? [] : [hour],
    })
  })

  it("has the limit's message, or else that of its code", async () => {
    const { result: own } = await refusedBy('hourly budget', 'too little is left')
    const { result: general } = await refusedBy('hourly budget')
    expect(own.response).toHaveProperty('errorMessage', 'too little is left')
    expect(general.response).toHaveProperty('errorMessage', reasons[sponsorUnavailable].message)
  })
})
