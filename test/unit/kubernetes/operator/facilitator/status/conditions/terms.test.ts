import { describe, expect, test } from 'vitest'
import type { FacilitatorResult } from '../../../../../../../src/kubernetes/operator/facilitator/converge/converge.ts'
import { conditionsOf } from '../../../../../../../src/kubernetes/operator/facilitator/status/conditions/conditions.ts'
import { resultWith, rolledOut } from '../../results.ts'

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

  test('on which nothing at all can be paid make it not Ready, and only where that is known of all', () => {
    const unpayable = { network, state: 'Unpayable', message: tooDear } as const
    const reasonOf = (...args: Parameters<typeof conditions>) => conditions(...args).ready?.reason
    const { ready, payable, degraded } = conditions([unpayable, unpayable])
    expect(payable).toMatchObject({ status: 'False', reason: 'TermsUnpayable' })
    expect(ready).toEqual({ ...payable, type: 'Ready' })
    expect(degraded).toEqual({ ...payable, type: 'Degraded', status: 'True' })
    for (const state of ['Tried', 'NotTried', 'Invalid'] as const) {
      expect(reasonOf([unpayable, { network, state, message: 'x' }])).toBe('Serving')
    }
    // A pod of a network that is not in the spec any more, and a network of which nothing is known.
    const other = { network: 'stellar:pubnet', state: 'Tried', message: '' } as const
    expect(reasonOf([unpayable, other])).toBe('Serving')
    expect(reasonOf([{ ...unpayable, network: 'stellar:pubnet' }])).toBe('Serving')
    expect(reasonOf([])).toBe('Serving')
    const down = resultWith({ deployment: { ...rolledOut(2), readyReplicas: 0 } })
    expect(reasonOf([unpayable], down)).toBe('ReplicasNotReady')
  })

  test('keep it not Ready while the reports are not read, as of a paused Facilitator', () => {
    const { ready } = conditions([{ network, state: 'Unpayable', message: tooDear }])
    expect(ready).toMatchObject({ status: 'False' })
    const before = resultWith()
    const { facilitator } = before.observed
    const withLast = (last: object | undefined) => {
      const status = { conditions: [last] } as unknown as typeof facilitator.status
      const observed = { ...before.observed, facilitator: { ...facilitator, status } }
      return { ...before, observed }
    }
    expect(conditions(undefined, withLast(ready)).ready).toEqual(ready)
    const { ready: well } = conditions(undefined, before)
    expect(conditions(undefined, withLast(well)).ready).toMatchObject({ status: 'True' })
    expect(conditions([], withLast(ready)).ready).toMatchObject({ status: 'True' })
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
