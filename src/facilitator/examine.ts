import type { Stroops } from '../core/stroops.ts'
import { simulationEnvelope } from '../stellar/settlement-envelope.ts'
import { checkSignature } from '../x402/check-signature.ts'
import { checkSimulation } from '../x402/check-simulation.ts'
import type { ExactPayment } from '../x402/payment.ts'
import type { Refusal } from '../x402/refusal.ts'
import type { ServedNetwork } from './served-network.ts'

/** What a settlement of the payment needs, as the ledger sees it now. */
export interface Prospect {
  /** Base64 XDR `SorobanTransactionData`, of our own simulation. */
  readonly transactionData: string
  /** Bid per operation that the fee ceiling was judged with. */
  readonly inclusionFee: Stroops
  /** The most the sponsor can be charged at that bid. */
  readonly totalFee: Stroops
  /** The ledger it was judged on. */
  readonly latestLedger: number
}

export type Examination =
  | { readonly ok: true; readonly prospect: Prospect }
  | { readonly ok: false; readonly refusal: Refusal }

/**
 * Judges a payment that passed every check without a ledger: the payer's own signatures first,
 * since that costs no request, then an enforcing simulation. Throws `RpcError` without an answer.
 */
export async function examine(
  { policy, rpc, monitor, time, stages }: ServedNetwork,
  payment: ExactPayment,
): Promise<Examination> {
  const forged = stages.run('signature', () => checkSignature(payment, policy.passphrase))
  if (forged) return { ok: false, refusal: forged }

  const simulation = await stages.run('simulate', () =>
    rpc.simulate(simulationEnvelope(payment.invocation)),
  )
  const { inclusionFee } = monitor
  const terms = { inclusionFee, secondsPerLedger: time.secondsPerLedger }
  const verdict = checkSimulation(payment, simulation, terms, policy)
  if (!verdict.ok) return verdict
  const { transactionData, totalFee, latestLedger } = verdict.quote
  return { ok: true, prospect: { transactionData, inclusionFee, totalFee, latestLedger } }
}
