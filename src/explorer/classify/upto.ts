import type { ContractEvent } from '../../stellar/history/scan/scan-event.ts'
import type { ScannedCall } from '../../stellar/history/scan/scan-operation.ts'
import type { SkipReason } from '../observed-payment.ts'
import type { ObservedScheme } from './observed-scheme.ts'
import {
  amountIn,
  MAX_AMOUNT,
  type PaymentTerms,
  payeeIn,
  payerIn,
  type TermsOrReason,
} from './payment-terms.ts'

/** Token, from, to, ceiling, expiry, nonce, actual; the authority of our profile or the hook of another may follow. */
const LEAST_ARGUMENTS = 7

/**
 * The terms of a call of `settle` of a configured contract. How the buyer authorizes it is the contract's own affair,
 * which the administrator of this explorer trusts: what is signed cannot be the call, since the actual amount is decided later.
 */
function readTerms({ args }: ScannedCall): TermsOrReason {
  const [token, from, to, most, _expiry, _nonce, value] = args
  const asset = payerIn(token)
  const buyer = payerIn(from)
  const payee = payeeIn(to)
  const ceiling = amountIn(most)
  const amount = amountIn(value)
  if (args.length < LEAST_ARGUMENTS || !asset?.startsWith('C') || !buyer || !payee) {
    return 'wrong_arguments'
  }
  if (ceiling === undefined || amount === undefined) return 'wrong_arguments'
  if (amount < 0n || amount > ceiling || ceiling > MAX_AMOUNT) return 'amount_out_of_range'
  return { scheme: 'upto', asset, buyer, amount, ceiling, ...payee }
}

/**
 * The contract of the profile `authority-v1` publishes `upto_settled` with each settlement, one of nothing included: the
 * payer, the ceiling and what was taken (`contracts/upto`). It has to say what the call says. Contracts of other designs
 * publish no such event or one of another form, which says nothing here: then the call alone counts.
 */
function checkSettledEvent(
  terms: PaymentTerms,
  settlementContract: string,
  events: readonly ContractEvent[],
): SkipReason | undefined {
  const published = events
    .filter(({ contract }) => contract === settlementContract)
    .flatMap((event) => readSettled(event) ?? [])
  const isOfTerms = published.every(
    ({ payer, ceiling, actual }) =>
      payer === terms.buyer && ceiling === terms.ceiling && actual === terms.amount,
  )
  return isOfTerms && published.length < 2 ? undefined : 'no_matching_settlement'
}

interface Settled {
  readonly payer: string
  readonly ceiling: bigint
  readonly actual: bigint
}

function readSettled({ topics, data }: ContractEvent): Settled | undefined {
  const [name, payer] = topics
  if (name?.type !== 'symbol' || name.value !== 'upto_settled') return undefined
  if (topics.length !== 2 || payer?.type !== 'address' || data.type !== 'vec') return undefined
  const [ceiling, actual] = data.items.map(amountIn)
  if (data.items.length !== 2 || ceiling === undefined || actual === undefined) return undefined
  return { payer: payer.value, ceiling, actual }
}

export const upto: ObservedScheme = {
  functionName: 'settle',
  isTrusted: (contract, { uptoContracts }) => uptoContracts.has(contract),
  readTerms,
  isCallSigned: false,
  contradictionIn: checkSettledEvent,
}
