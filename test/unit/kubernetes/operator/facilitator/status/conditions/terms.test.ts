import { describe, expect, test } from 'vitest'
import type { FacilitatorResult } from '../../../../../../../src/kubernetes/operator/facilitator/converge/converge.ts'
import { conditionsOf } from '../../../../../../../src/kubernetes/operator/facilitator/status/conditions/conditions.ts'
import { resultWith } from '../../results.ts'

type Reports = NonNullable<FacilitatorResult['terms']>

const network = 'stellar:testnet'
const conditions = (terms: FacilitatorResult['terms'], of = resultWith()) => {
  const all = conditionsOf({ ...of, terms })
  const named = (name: string) => all.find(({ type }) => type === name)
  return { payable: named('TermsPayable'), degraded: named('Degraded'), ready: named('Ready') }
}

describe('N2: the terms of pods that run', () => {
  const tooDear =
    'each payment is refused that costs more than the 20000 stroops of MAX_TX_FEE_STROOPS (fees.maxTxFeeStroops), and the least is 33231 by exact in USDC: raise MAX_TX_FEE_STROOPS (fees.maxTxFeeStroops) to 67000'
  const invalid: Reports = [
    { network, state: 'Tried', message: '' },
    { network, state: 'Invalid', message: tooDear },
    { network, state: 'Invalid', message: tooDear },
  ]

  test('on which nothing can be paid are a condition with the value that would do', () => {
    const { payable, degraded } = conditions(invalid)
    const inItsFields = tooDear.replaceAll(
      'MAX_TX_FEE_STROOPS (fees.maxTxFeeStroops)',
      'spec.networks[testnet].fees.maxTxFeeStroops',
    )
    const value = { reason: 'TermsInvalid', message: `${network}: ${inItsFields}.` }
    expect(payable).toEqual({ type: 'TermsPayable', status: 'False', ...value })
    expect(degraded).toEqual({ type: 'Degraded', status: 'True', ...value })
  })

  test('of an asset without a known holder are NotTried, which blocks nothing', () => {
    const message = 'OWN by exact not tried: the payer holds less OWN than the payment takes'
    const { payable, degraded, ready } = conditions([{ network, state: 'NotTried', message }])
    expect(payable).toMatchObject({
      status: 'Unknown',
      reason: 'NotTried',
      message: `${network}: ${message}.`,
    })
    expect(degraded).toMatchObject({ status: 'False' })
    expect(ready).toMatchObject({ status: 'True' })
  })

  test('are NotTried before the first report, and keep the last value while the database does not answer', () => {
    expect(conditions([]).payable).toMatchObject({ status: 'Unknown', reason: 'NotTried' })
    expect(conditions(undefined).payable).toMatchObject({ reason: 'NotObserved' })
    const before = resultWith()
    const { payable } = conditions(invalid, before)
    const { facilitator } = before.observed
    const last = { ...payable, observedGeneration: 1, lastTransitionTime: '2026-01-01T00:00:00Z' }
    const status = { conditions: [last] } as unknown as typeof facilitator.status
    const observed = { ...before.observed, facilitator: { ...facilitator, status } }
    expect(conditions(undefined, { ...before, observed }).payable).toEqual(payable)
  })

  test('are as they should be once each pod has tried them', () => {
    const { payable } = conditions([{ network, state: 'Tried', message: '' }])
    expect(payable).toMatchObject({ status: 'True', reason: 'TermsTried' })
  })
})
