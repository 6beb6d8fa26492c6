import { MAX_MESSAGE_LENGTH } from '../../../../crd/fields/conditions.ts'
import { inFields } from '../../../reporting/in-fields.ts'
import type { FacilitatorResult } from '../../converge/converge.ts'
import { fieldNames } from '../../spec/field-names.ts'
import { type ConditionRule, type ConditionValue, lastOf, notObserved } from './rule.ts'

type TermsState = NonNullable<FacilitatorResult['terms']>[number]['state']

/** The problem of the terms of the spec, by the pods that run with them. */
export const termsInvalid: ConditionRule = (result) => {
  const message = messageOf(result, ['Invalid', 'Unpayable'])
  if (message === undefined) return undefined
  const reason = isNothingPayable(result) ? 'TermsUnpayable' : 'TermsInvalid'
  return { status: 'False', reason, message }
}

/**
 * No payment can be made at all, by each pod that has tried. While the reports are not read, the last value stays: whoever pauses a
 * Facilitator makes nothing payable.
 */
export const termsUnpayable: ConditionRule = (result) => {
  if (result.terms) return isNothingPayable(result) ? termsInvalid(result) : undefined
  const last = lastOf(result.observed.facilitator, 'Ready')
  return last?.reason === 'TermsUnpayable' ? last : undefined
}

/** In no asset and scheme of any network of the spec. What one pod has not tried, or has found payable, may be. */
const isNothingPayable = ({ pools, terms = [] }: FacilitatorResult): boolean =>
  terms.length > 0 &&
  terms.every(({ state }) => state === 'Unpayable') &&
  pools.every(({ network }) => terms.some((report) => report.network === network))

/** Whether a payment could be made on the terms of the spec. Where the reports of the pods were not read, the last value stays. */
export function termsPayable(result: FacilitatorResult): ConditionValue {
  const { observed, terms } = result
  if (!terms) return lastOf(observed.facilitator, 'TermsPayable') ?? notObserved
  const invalid = termsInvalid(result)
  if (invalid) return invalid
  const untried = messageOf(result, ['NotTried'])
  if (untried !== undefined) return { status: 'Unknown', reason: 'NotTried', message: untried }
  if (terms.length === 0) {
    const message = 'No facilitator pod has tried to pay on the terms of the spec yet.'
    return { status: 'Unknown', reason: 'NotTried', message }
  }
  const message = 'A payment in every accepted asset and every scheme was simulated.'
  return { status: 'True', reason: 'TermsTried', message }
}

/** The reports of these states, of each network once; undefined without any. */
function messageOf(
  { observed: { facilitator, pools }, terms = [] }: FacilitatorResult,
  states: readonly TermsState[],
): string | undefined {
  const those = terms.filter(({ state }) => states.includes(state))
  if (those.length === 0) return undefined
  const names = fieldNames(facilitator, pools)
  const sentences = new Set(
    those.map(({ network, message }) => `${network}: ${inFields(message, names)}.`),
  )
  return [...sentences].join(' ').slice(0, MAX_MESSAGE_LENGTH)
}
