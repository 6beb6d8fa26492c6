import { checkPayment } from '../x402/check-payment.ts'
import type { PaymentRequest, VerifyResponse } from '../x402/protocol.ts'
import type { Payment } from '../x402/scheme.ts'
import { notVerified, verified } from './answers.ts'
import { quotePayment } from './quote-payment.ts'
import type { ServedNetwork } from './served-network.ts'

/**
 * Checks whether a payment would settle now. Writes nothing and reserves nothing (x402 section 7.1).
 *
 * @param onSimulate called right before the simulation, for what runs beside it
 */
export async function verify(
  network: ServedNetwork,
  request: PaymentRequest,
  onSimulate: (payment: Payment) => void,
): Promise<VerifyResponse> {
  const checked = network.stages.run('check', () => checkPayment(request, network.policy, 'verify'))
  if (!checked.ok) return notVerified(checked.refusal)
  const { payment } = checked
  const quoted = await quotePayment(network, payment, () => onSimulate(payment))
  return quoted.ok ? verified(payment.payer) : notVerified(quoted.refusal)
}
