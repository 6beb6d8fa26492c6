import { SignerError } from '../../../stellar/accounts/envelope-signer.ts'
import {
  buildSettlement,
  type SettlementEnvelope,
} from '../../../stellar/transactions/settlement-envelope.ts'
import { settleCodes } from '../../protocol/reasons.ts'
import type { Payment } from '../../schemes/scheme.ts'
import type { ChannelInUse } from '../leases/obtain-channel.ts'
import type { ServedNetwork } from '../network/served-network.ts'
import {
  type ClaimedPayment,
  refusedStep,
  type StepResult,
  type SubmitDeps,
} from './claimed-payment.ts'

/**
 * stellar-core refuses a transaction that would expire within two expected ledgers (10 s) of its own
 * time, and our estimate of that time may be a ledger old. A payment with a shorter timeout still ends
 * in time: the ledger enforces the expiration of the payer's authorization.
 */
const MIN_VALIDITY_SECONDS = 25

const MAX_UINT32 = 0xffff_ffff

/** Builds the settlement's envelope and signs it as channel and sponsor. */
export async function signSettlement(
  { timings, log }: SubmitDeps,
  { network, payment, quote }: ClaimedPayment,
  { channel, sequence }: ChannelInUse,
): Promise<StepResult<{ envelope: SettlementEnvelope }>> {
  const { sponsor, channels, time, monitor } = network
  const now = time.now
  if (now === undefined) return refusedStep('unexpected_settle_error', 'no ledger was read yet')
  const requested = Math.max(payment.maxTimeoutSeconds, MIN_VALIDITY_SECONDS)
  const validFor = Math.min(timings.validitySeconds, requested)
  try {
    const envelope = await buildSettlement({
      network: network.id,
      invocation: payment.invocation,
      authority: authorityOf(network, payment),
      channel: channels.signer(channel.index),
      sponsor,
      sequence: sequence + 1n,
      transactionData: quote.transactionData,
      inclusionFee: quote.inclusionFee,
      maxTime: BigInt(now + Math.floor(validFor)),
      // Once the authorization has expired the call would fail at the sponsor's cost; so the network drops it.
      maxLedger: Math.min(payment.authorization.expirationLedger + 1, MAX_UINT32),
    })
    monitor.queueCapacity.observe(envelope.resources)
    return { ok: true, envelope }
  } catch (error) {
    // The request ends as in any outage; a refusal of the signer's own rules is an answer.
    if (error instanceof SignerError && error.problem !== 'refused') throw error
    log.error({ err: error, channel: channel.account }, 'Could not sign a settlement')
    return refusedStep(settleCodes.signingFailed)
  }
}

/**
 * The authority that settles the payment, where its scheme needs one. Its contract is the configured one, not what the payment says.
 * Throws for an authority that is not ours.
 */
function authorityOf({ upto }: ServedNetwork, { authority }: Payment) {
  if (!authority) return undefined
  const { address, functionName, received, amountArgument } = authority
  const signer = [...(upto?.authorities ?? []), upto?.nextAuthority].find(
    (each) => each?.address === address,
  )
  if (!upto || !signer) throw new Error(`no key of the settlement authority ${address}`)
  return { signer, contract: upto.contract, functionName, received, amountArgument }
}
