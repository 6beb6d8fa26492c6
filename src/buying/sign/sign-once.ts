import type { PaymentPayload } from '@x402/core/types'
import type { Clock } from '../../platform/core/time/clock.ts'
import { PayFailure } from '../outcome/pay-failure.ts'
import { type PaymentTrace, traceOf } from '../outcome/payment-reference.ts'
import type { Quote } from '../quote/quote.ts'
import { latestLedger } from './latest-ledger.ts'
import type { SignatureTrace } from './one-signature.ts'
import { signPayment, type Wallet } from './sign-payment.ts'
import { type SignedAuthorization, signedAuthorization } from './signed-authorization.ts'

interface SignOnceOptions {
  readonly clock: Clock
  readonly signal?: AbortSignal | undefined
  /**
   * Called at the last moment before the payment is signed; when it throws, nothing is signed. From then on the payment
   * may be settled, also when `signOnce` throws.
   */
  readonly beforeSigning: (authorization: SignedAuthorization, trace: PaymentTrace) => void
}

/**
 * Signs one payment with one signature, which the ledger can be asked about. Throws PayFailure, what `beforeSigning` throws, and the
 * reason of the signal.
 */
export async function signOnce(
  quote: Pick<Quote, 'call' | 'required' | 'offer'>,
  wallet: Wallet,
  { clock, signal, beforeSigning }: SignOnceOptions,
): Promise<{ readonly payment: PaymentPayload; readonly trace: PaymentTrace }> {
  const { network, asset, maxTimeoutSeconds } = quote.offer
  const payer = wallet.signer.address
  const afterLedger = await latestLedger(quote.offer, wallet, { clock, signal })
  let signed: { readonly nonce: bigint; readonly trace: PaymentTrace } | undefined
  const record = ({ nonce, lastLedger }: SignatureTrace) => {
    const authorization = { asset, payer, nonce, afterLedger, lastLedger }
    const signedAtMs = clock.now()
    const trace = traceOf({ network, authorization, maxTimeoutSeconds, signedAtMs })
    beforeSigning(authorization, trace)
    signed = { nonce, trace }
  }
  const payment = await signPayment(quote, wallet, { clock, signal, afterLedger, record })
  signal?.throwIfAborted()
  const { nonce } = signedAuthorization(payment, { asset }, { payer, afterLedger })
  if (signed && nonce === signed.nonce) return { payment, trace: signed.trace }
  throw new PayFailure('not_signed', 'the stock client made another payment than it signed')
}
