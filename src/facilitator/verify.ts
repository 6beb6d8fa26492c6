import { checkPayment } from '../x402/check-payment.ts'
import type { PaymentRequest, VerifyResponse } from '../x402/protocol.ts'
import { notVerified, verified } from './answers.ts'
import { quotePayment } from './quote-payment.ts'
import type { ServedNetwork } from './served-network.ts'

/** Checks whether a payment would settle now. Writes nothing and reserves nothing (x402 section 7.1). */
export async function verify(
  network: ServedNetwork,
  request: PaymentRequest,
): Promise<VerifyResponse> {
  const checked = network.stages.run('check', () => checkPayment(request, network.policy))
  if (!checked.ok) return notVerified(checked.refusal)
  const quoted = await quotePayment(network, checked.payment)
  return quoted.ok ? verified(checked.payment.payer) : notVerified(quoted.refusal)
}
