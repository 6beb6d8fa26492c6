/**
 * - `undecided`: the result does not prove that the network refused the envelope.
 * - `network`: the network is busy and asks for a higher bid; another envelope may be accepted.
 * - `sponsor`: an account of this service is at fault; an administrator can correct that.
 * - `payment`: the transaction that the payer authorized is invalid, and would be again.
 *
 * No refusal proves that the envelope stays out of the ledger: the endpoint may have passed it on. If the payment were answered as not
 * made, its buyer could sign another one.
 */
export type SendRefusal = 'undecided' | 'network' | 'sponsor' | 'payment'

/** The meaning of each result code, in XDR names, with which an endpoint refuses an envelope. */
const refusals: Readonly<Record<string, Exclude<SendRefusal, 'payment'>>> = {
  // The envelope may land later, or be past its bounds: a closed ledger proves which.
  txTooEarly: 'undecided',
  txTooLate: 'undecided',
  // An envelope that has landed already gets this result, too, when a proxy between this process and the endpoint repeats the request.
  txBadSeq: 'undecided',
  txInsufficientFee: 'network',
  // The sponsor cannot pay the fee, or a channel was merged.
  txInsufficientBalance: 'sponsor',
  txNoAccount: 'sponsor',
  // The signers or weights of the sponsor or the channel were changed: the payer signs no transaction.
  txBadAuth: 'sponsor',
  txBadAuthExtra: 'sponsor',
  // A defect of the node.
  txInternalError: 'sponsor',
}

/**
 * With `txFailed`: the source of the operation is a settlement authority, which does not exist or has other signers. In
 * any other settlement it is the channel.
 */
const sponsorsOperations: readonly string[] = ['opNoAccount', 'opBadAuth']

/** The meaning of a refusal of sendTransaction. Without a result code it proves nothing. */
export function refusalOf(resultCode: string | undefined, operationCode = ''): SendRefusal {
  if (resultCode === undefined) return 'undecided'
  if (sponsorsOperations.includes(operationCode)) return 'sponsor'
  return refusals[resultCode] ?? 'payment'
}
