import type { ScannedCall } from '../../stellar/history/scan/scan-operation.ts'
import type { ObservedScheme } from './observed-scheme.ts'
import { amountIn, MAX_AMOUNT, payeeIn, payerIn, type TermsOrReason } from './payment-terms.ts'

/** The terms of a call `transfer(from, to, amount)` of a token (SEP-41). */
function readTerms({ contract: asset, args }: ScannedCall): TermsOrReason {
  const [from, to, value] = args
  const buyer = payerIn(from)
  const payee = payeeIn(to)
  const amount = amountIn(value)
  if (args.length !== 3 || !buyer || !payee || amount === undefined) return 'wrong_arguments'
  if (amount <= 0n || amount > MAX_AMOUNT) return 'amount_out_of_range'
  return { scheme: 'exact', asset, buyer, amount, ...payee }
}

export const exact: ObservedScheme = { functionName: 'transfer', readTerms, isCallSigned: true }
