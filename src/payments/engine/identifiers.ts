/**
 * The extension `payment-identifier`: an id belongs to one payload, and every other payload with it is refused, before anything is
 * signed or sent. The store binds it in the claim's own statement.
 */
import { canonicalHash } from '../../platform/core/text/canonical-json.ts'
import { isoTime } from '../../platform/core/text/iso-time.ts'
import type { Store } from '../../platform/database/open.ts'
import { paymentIdentifierOf } from '../protocol/payment-identifier.ts'
import { identifierConflict } from '../protocol/reasons.ts'
import type { Refusal } from '../protocol/refusal.ts'
import type { Payment } from '../schemes/scheme.ts'
import {
  type BoundIdentifier,
  type FirstPayment,
  findFirstPayment,
} from '../store/settlements/claim/identifiers.ts'
import type { SettlementKey } from '../store/settlements/settlement.ts'
import { PUBLIC_CALLER } from '../usage/count-requests.ts'
import type { SettleResult } from '../usage/outcome.ts'
import { refusedPayment } from './answers/settle-answer.ts'
import type { ServedNetwork } from './network/served-network.ts'

/**
 * The id of a payment, with the scopes in which its payer may use it once: the payee, and the API key of the caller where it has one.
 * The payer's signature does not cover the id. With the payer in the key nobody else can take an id of a buyer, and with the scopes no
 * seller can take one that the buyer uses elsewhere. The payee counts for every caller, since a seller may change its key between two
 * tries of one purchase, and the key counts too, since a seller may name another payee in the second one.
 */
export function identifierOf(
  { request: { paymentPayload }, payTo }: Payment,
  caller: string,
): BoundIdentifier | undefined {
  const given = paymentIdentifierOf(paymentPayload.extensions)
  if (given.kind !== 'given') return undefined
  return {
    scopes: caller === PUBLIC_CALLER ? [payTo] : [payTo, caller],
    identifier: given.id,
    payloadHash: canonicalHash(paymentPayload),
  }
}

/** The refusal of a payload whose id belongs to another payment: it says what became of that one. */
export const conflictWith = (
  first: FirstPayment,
  network: Pick<ServedNetwork, 'time'>,
): Pick<Refusal, 'code' | 'message'> => ({
  code: identifierConflict,
  message: `another payment has this payment identifier: it ${fateOf(first, network)}`,
})

interface IdentifiedRequest {
  readonly network: Pick<ServedNetwork, 'time'>
  readonly payment: Payment
  readonly key: SettlementKey
  readonly identifier: BoundIdentifier | undefined
}

/** The result of a request whose id another payload has, as the store says by now; undefined when none has it. */
export async function refuseTaken(
  { db }: Pick<Store, 'db'>,
  { network, payment, key, identifier }: IdentifiedRequest,
): Promise<SettleResult | undefined> {
  const first = identifier && (await findFirstPayment(db, key, identifier))
  return first && refusedPayment(payment, conflictWith(first, network))
}

const AGAIN = 'send that one again to learn how it ends'
const ANOTHER = 'use a new identifier'

/** Continues "it". */
function fateOf(first: FirstPayment, network: Pick<ServedNetwork, 'time'>): string {
  const { state, transaction } = first
  switch (state) {
    case 'succeeded':
      return `is settled in transaction ${transaction}`
    case 'failed':
      return `failed on the ledger in transaction ${transaction}, ${ANOTHER}`
    case 'expired':
      return `expired unpaid, ${ANOTHER}`
    case null:
      // Deleted long ago, or lost in a failover of the database while it was pending.
      return `is not stored: ${AGAIN}, and ${ANOTHER} only when its authorization has ended unused`
    default:
      return fateOfOpen(first, network)
  }
}

/** Of a payment that has not ended, or can be claimed again. */
function fateOfOpen(
  { state, expirationLedger, isResolvable, mayBeSent }: FirstPayment,
  { time: { latestLedger, now, secondsPerLedger } }: Pick<ServedNetwork, 'time'>,
): string {
  const unknown = `is pending, ${AGAIN}`
  if (!isResolvable || expirationLedger === null) return unknown
  if (latestLedger === undefined || now === undefined) return unknown
  const ledgers = expirationLedger - latestLedger
  if (ledgers >= 0) {
    const end = isoTime((now + ledgers * secondsPerLedger) * 1_000)
    return `is pending until ledger ${expirationLedger} has closed, about ${end}, ${AGAIN}`
  }
  // A claim may still be recorded; what was given back or lost its owner is not, once its authorization has ended.
  return mayBeSent || state === 'claimed' ? unknown : `expired before anything was sent, ${ANOTHER}`
}
