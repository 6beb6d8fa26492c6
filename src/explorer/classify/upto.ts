import type { ScannedCall } from '../../stellar/history/scan-operation.ts'
import { checkSettledEvent } from './check-settled-event.ts'
import type { ObservedScheme } from './observed-scheme.ts'
import { amountIn, MAX_AMOUNT, payeeIn, payerIn, type TermsOrReason } from './payment-terms.ts'

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

export const upto: ObservedScheme = {
  functionName: 'settle',
  isTrusted: (contract, { uptoContracts }) => uptoContracts.has(contract),
  readTerms,
  isCallSigned: false,
  contradictionIn: checkSettledEvent,
}
