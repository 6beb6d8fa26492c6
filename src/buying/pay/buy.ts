import { messageOf } from '../../platform/core/text/error-message.ts'
import { NonceSignedBefore, type Reservation } from '../budget/budget.ts'
import type { SignedPayment } from '../budget/recorded-payment.ts'
import { PayFailure } from '../outcome/pay-failure.ts'
import type { Quote } from '../quote/quote.ts'
import type { PayLimits } from '../quote/refuse-offer.ts'
import type { Wallet } from '../sign/sign-payment.ts'
import { deliver } from './deliver.ts'
import { type PaidAnswer, type PayOptions, pay } from './pay.ts'
import { hasIdentifier, type ResumeOptions, resume } from './resume.ts'

interface BuyOptions extends Omit<PayOptions, 'beforeSigning'>, Omit<ResumeOptions, 'rpcUrl'> {
  /** Sets the price aside. What it throws ends the purchase, and nothing is signed. */
  readonly reserve: () => Reservation | Promise<Reservation>
  /** Called once the payment is recorded; with `leave` the caller gives the purchase up, and the next call resumes it. */
  readonly onSigned?: ((leave: () => void) => void) | undefined
}

/**
 * Buys what a quote is for, and pays for it once: an earlier payment for the same call whose answer was lost is resumed. What is signed is
 * on disk before, and the payment itself before it is sent, so that the next call can resume it, whatever ends this process.
 *
 * @throws PayFailure as `pay` and `resume`, what `reserve` and `handOver` throw, and the reason of the signal while nothing was signed
 */
export async function buy(
  quoted: Quote,
  limits: PayLimits,
  wallet: Wallet,
  options: BuyOptions,
): Promise<PaidAnswer> {
  const resumed = await resume(quoted, limits, { ...options, rpcUrl: wallet.rpcUrl })
  if (resumed) return resumed
  const { reserve, signal, beforeSending, onSigned, isWanted = () => true } = options
  const { scheme, payTo } = quoted.offer
  const reserved = await reserve()
  let sent: string | undefined
  let paid: PaidAnswer
  try {
    paid = await pay(quoted, limits, wallet, {
      ...options,
      beforeSigning: (signed) => {
        record(reserved, { ...signed, scheme, payTo })
        onSigned?.(() => options.budget.purchases.leave(reserved))
      },
      beforeSending: (header) => {
        reserved.sending(header)
        sent = header
        beforeSending?.(header)
      },
    })
  } catch (error) {
    if (isCertainlyUnsigned(error, signal)) reserved.release()
    else if (error instanceof PayFailure && error.receipt) {
      // Its seller can be asked for the answer once more, and a caller who has left does not learn that it was paid.
      const isOver = error.paid === true && !hasIdentifier(sent) && isWanted()
      reserved.answered(error.receipt, isOver)
    }
    throw error
  }
  return deliver(reserved, paid, options)
}

/** Whether certainly nothing was signed: only then may a budget give back what was set aside. */
const isCertainlyUnsigned = (error: unknown, signal: AbortSignal | undefined): boolean =>
  error instanceof PayFailure ? !error.isSent : signal?.aborted === true && error === signal.reason

/** Throws PayFailure when nothing may be signed. */
function record(reserved: Reservation, payment: SignedPayment): void {
  const notSigned = 'the payment was not signed'
  let isRecorded: boolean
  try {
    isRecorded = reserved.signed(payment)
  } catch (cause) {
    const code = cause instanceof NonceSignedBefore ? 'not_signed' : 'not_recorded'
    throw new PayFailure(code, `${notSigned}: ${messageOf(cause)}`, { cause })
  }
  if (!isRecorded) {
    throw new PayFailure('timed_out', `${notSigned}: it was prepared for too long`)
  }
}
