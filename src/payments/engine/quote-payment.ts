import { simulationQueue } from '../../stellar/rpc/simulation-queue.ts'
import { simulationEnvelope } from '../../stellar/transactions/settlement-envelope.ts'
import { checkSignature } from '../checks/check-signature.ts'
import { type CheckedSimulation, checkSimulation } from '../checks/check-simulation.ts'
import type { Payment } from '../schemes/scheme.ts'
import type { ServedNetwork } from './network/served-network.ts'

export interface QuoteOptions {
  /** Whose turn it takes: an API key, or the address of a client without one. */
  readonly client: string
  /** Ends the wait for the simulation. */
  readonly signal?: AbortSignal
  /** Called right before the simulation, for what runs beside it. */
  readonly onSimulate?: () => void
}

/**
 * Checks a payment that passed all checks which need no ledger: first the payer's own signatures, which
 * costs no request, then an enforcing simulation, when it is the caller's turn. Returns a quote or a refusal. Throws
 * `RpcError` when no endpoint answers, `Fault` when too many payments wait for a simulation, and the signal's reason when
 * it aborts before the simulation begins.
 */
export async function quotePayment(
  { policy, rpc, monitor, time, stages, simulations }: ServedNetwork,
  payment: Payment,
  { client, signal, onSimulate }: QuoteOptions,
): Promise<CheckedSimulation> {
  const badSignature = stages.run('signature', () => checkSignature(payment, policy.passphrase))
  if (badSignature) return { ok: false, refusal: badSignature }

  const envelope = simulationEnvelope(payment.invocation, payment.authority?.address)
  const { payer } = payment
  // The account of such a payer is a contract, whose check of the signatures its owner has written.
  const queue = simulationQueue(envelope, { runsStrangersCode: payer.startsWith('C') })
  const simulate = () => {
    onSimulate?.()
    return stages.run('simulate', () => rpc.simulate(envelope, undefined, queue))
  }
  const simulation = await simulations.run(queue, { caller: client, payer }, simulate, signal)
  const { inclusionFee, transactionLimits: limits } = monitor
  const terms = { inclusionFee, limits, secondsPerLedger: time.secondsPerLedger }
  const checked = checkSimulation(payment, simulation, terms, policy)
  if (!isTooFar(payment, checked)) return checked
  // The payer may have counted from a ledger of an endpoint that this process has not asked since.
  const latestLedger = (await rpc.newestLedger?.()) ?? 0
  const { latestLedger: known, simulatedOn = known } = simulation
  if (latestLedger <= known) return checked
  return checkSimulation(payment, { ...simulation, simulatedOn, latestLedger }, terms, policy)
}

const isTooFar = ({ scheme, phase }: Payment, checked: CheckedSimulation): boolean =>
  !checked.ok && checked.refusal.code === scheme.rules[phase].codes.expirationTooFar
