/** A signed payment in one word, with which anybody can ask the ledger what became of it. It holds no secret. */
import { isNetworkId, type NetworkId } from '../../platform/core/caip2.ts'
import { isoTime } from '../../platform/core/text/iso-time.ts'
import { addressKind } from '../../stellar/accounts/strkey.ts'
import type { TransferAuthorization } from '../../stellar/history/authorized-transfer.ts'

export interface SignedPayment {
  readonly network: NetworkId
  readonly authorization: TransferAuthorization
}

/** Facts about a signed payment that do not depend on the seller's answer. */
export interface PaymentTrace {
  /** For `svc pay status`. */
  readonly reference: string
  /** The last ledger in which it can be settled. */
  readonly lastLedger: number
  /** About when that ledger closes: ISO 8601. */
  readonly validUntil: string
}

interface Signed extends SignedPayment {
  readonly maxTimeoutSeconds: number
  readonly signedAtMs: number
}

export const traceOf = ({ signedAtMs, maxTimeoutSeconds, ...payment }: Signed): PaymentTrace => ({
  reference: referenceOf(payment),
  lastLedger: payment.authorization.lastLedger,
  validUntil: isoTime(signedAtMs + maxTimeoutSeconds * 1_000),
})

/**
 * The addresses come last: they have checksums, so a reference that lost its end is refused. A shell interprets none of its
 * characters, and a double click selects all of it.
 */
export const referenceOf = ({ network, authorization }: SignedPayment): string => {
  const { nonce, afterLedger, lastLedger, asset, payer } = authorization
  const name = network.replace(PREFIX, '')
  return [name, BigInt.asUintN(64, nonce), afterLedger, lastLedger, asset, payer].join('_')
}

const PREFIX = 'stellar:'
const REFERENCE =
  /^([a-z]{1,20})_(\d{1,20})_(\d{1,10})_(\d{1,10})_(C[A-Z2-7]{55})_([GC][A-Z2-7]{55})$/

/** Undefined for anything but a whole reference. */
export function readReference(text: string): SignedPayment | undefined {
  const [, name = '', nonce = '', after, last, asset = '', payer = ''] = REFERENCE.exec(text) ?? []
  const network = PREFIX + name
  const [afterLedger, lastLedger] = [Number(after), Number(last)]
  if (!isNetworkId(network) || !(afterLedger < lastLedger)) return undefined
  if (addressKind(asset) !== 'contract' || addressKind(payer) === undefined) return undefined
  if (BigInt(nonce) >= 2n ** 64n) return undefined
  const authorization = {
    ...{ asset, payer, afterLedger, lastLedger },
    nonce: BigInt.asIntN(64, BigInt(nonce)),
  }
  return { network, authorization }
}
