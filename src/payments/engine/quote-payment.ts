import { simulationEnvelope } from '../../stellar/transactions/settlement-envelope.ts'
import { checkSignature } from '../checks/check-signature.ts'
import { type CheckedSimulation, checkSimulation } from '../checks/check-simulation.ts'
import type { Payment } from '../schemes/scheme.ts'
import type { ServedNetwork } from './network/served-network.ts'

/**
 * Checks a payment that passed all checks which need no ledger: first the payer's own signatures, which
 * costs no request, then an enforcing simulation. Returns a quote or a refusal. Throws `RpcError` when no
 * endpoint answers.
 *
 * @param onSimulate called right before the simulation, for what runs beside it
 */
export async function quotePayment(
  { policy, rpc, monitor, time, stages }: ServedNetwork,
  payment: Payment,
  onSimulate?: () => void,
): Promise<CheckedSimulation> {
  const badSignature = stages.run('signature', () => checkSignature(payment, policy.passphrase))
  if (badSignature) return { ok: false, refusal: badSignature }

  onSimulate?.()
  const simulation = await stages.run('simulate', () =>
    rpc.simulate(simulationEnvelope(payment.invocation, payment.authority?.address)),
  )
  const { inclusionFee, transactionLimits: limits } = monitor
  const terms = { inclusionFee, limits, secondsPerLedger: time.secondsPerLedger }
  return checkSimulation(payment, simulation, terms, policy)
}
