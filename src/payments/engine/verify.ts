import type { Store } from '../../platform/database/open.ts'
import { checkPayment } from '../checks/check-payment.ts'
import { isSignedByOwnKey } from '../checks/check-signature.ts'
import type { PaymentRequest, VerifyResponse } from '../protocol/protocol.ts'
import { isReasonCode, reasons } from '../protocol/reasons.ts'
import type { Refusal } from '../protocol/refusal.ts'
import type { Payment } from '../schemes/scheme.ts'
import { type FoundSettlement, lookUpSettlement } from '../store/settlements/look-up.ts'
import { answerOfLimit } from './answers/refuse-at-limit.ts'
import { storedAnswer } from './answers/settle-answer.ts'
import { notVerified, verified } from './answers/verify-answer.ts'
import { conflictWith, identifierOf } from './identifiers.ts'
import type { Moments } from './limits/limit.ts'
import { refusalAt } from './limits/limits.ts'
import { findShortage } from './limits/payers/claim-within-payer-funds.ts'
import { requireSigner } from './network/require-signer.ts'
import type { ServedNetwork } from './network/served-network.ts'
import { quotePayment } from './quote-payment.ts'

interface VerifyOptions {
  /** The caller whose usage counts the request. */
  readonly caller: string
  /** Whose turn of simulations it takes: an API key, or the address of a client without one. */
  readonly client: string
  /** Called right before the simulation, for what runs beside it. */
  readonly onSimulate: (payment: Payment) => void
}

/**
 * Checks whether a payment would settle now. Writes nothing and reserves nothing (x402 section 7.1). Throws
 * `StoreUnavailable`, `RpcError`, `SignerError` and `Fault`, as a settlement would.
 */
export async function verify(
  { db }: Pick<Store, 'db'>,
  network: ServedNetwork,
  request: PaymentRequest,
  { caller, client, onSimulate }: VerifyOptions,
): Promise<VerifyResponse> {
  const checked = network.stages.run('check', () => checkPayment(request, network.policy, 'verify'))
  if (!checked.ok) return notVerified(checked.refusal)
  const { payment } = checked
  const { payer, nonce } = payment
  const key = { network: network.id, payer, nonce }
  const pause = network.payers.pauseOf(payer)
  const quoting = quotePayment(network, payment, {
    client,
    onSimulate: () => onSimulate(payment),
  })
  quoting.catch(() => undefined)
  const asset = payment.asset.contract
  const identifier = identifierOf(payment, caller)
  const found = await lookUpSettlement(db, { key, asset, pause, identifier })
  const { firstPayment } = found
  const conflict = firstPayment && { ...conflictWith(firstPayment, network), payer }
  const isOfOwnKey = conflict && isSignedByOwnKey(payment, network.policy.passphrase)
  if (isOfOwnKey) return notVerified(conflict)
  const quoted = await quoting
  // The ids of a payer are told to nobody else.
  if (conflict && quoted.ok) return notVerified(conflict)
  const refused = refusalOfFound(payment, found)
  if (refused) return notVerified(refused)
  if (!quoted.ok) return notVerified(quoted.refusal)
  // A payment under way has its share of the funds already.
  if (isUnderWay(found)) return verified(payer)
  const { hasOthers } = found
  const { simulatedOn } = quoted.quote
  const refusal = await findShortage({ db }, network, payment, { simulatedOn, hasOthers })
  const unfunded = limitOf(payment, { payer, refusal })
  if (unfunded) return notVerified(unfunded)
  requireSigner(network)
  return verified(payer)
}

const isUnderWay = ({ settlement }: FoundSettlement): boolean =>
  settlement?.state === 'claimed' || settlement?.state === 'submitted'

/**
 * The refusal that follows from what the store knows of a payment. A settlement under way is no reason to refuse: a settle request joins
 * it, and a buyer who repeats a request whose answer was lost must not be told to pay again.
 */
function refusalOfFound(
  payment: Payment,
  { settlement, pausedForMs }: FoundSettlement,
): Refusal | undefined {
  const { payer } = payment
  const answer = settlement?.outcome && storedAnswer(settlement.outcome.response)
  // The payment was made: its authorization is used, which the simulation finds.
  if (answer?.success) return undefined
  if (answer && isReasonCode(answer.errorReason)) {
    return { code: answer.errorReason, message: answer.errorMessage, payer }
  }
  return limitOf(payment, { payer, pausedForMs })
}

function limitOf(payment: Payment, facts: Moments['verify']): Refusal | undefined {
  const reached = refusalAt('verify', facts)
  if (!reached) return undefined
  const { code, message = reasons[code].message } = answerOfLimit(payment, reached)
  return { code, message, payer: payment.payer }
}
