import { isoTime } from '../../platform/core/text/iso-time.ts'
import type { PaymentRecord } from '../records.ts'
import { closedAtOf } from '../store/ingest/position.ts'
import type { PaymentDetail } from '../store/payments/read-payment-details.ts'
import { assetNames, decimalOf } from './asset.ts'

/** A payment as the interface answers it; what is not known is left out. */
export function paymentRecord(payment: PaymentDetail): PaymentRecord {
  const { asset, facilitator, ceiling, feeSource, sigExpiration, memo, muxedId } = payment
  return {
    network: payment.network,
    epoch: payment.epochStartedAt.toISOString(),
    ledger: payment.ledger,
    txHash: payment.txHash,
    scheme: payment.scheme,
    buyer: payment.buyer,
    seller: payment.seller,
    amount: payment.amount,
    amountDecimal: decimalOf(payment.amount, asset),
    assetContract: asset.contract,
    txSource: payment.txSource,
    facilitator: facilitator && {
      id: facilitator.id,
      displayName: facilitator.displayName ?? facilitator.id,
    },
    confidence: payment.confidence,
    closedAt: isoTime(closedAtOf(payment.position) * 1_000),
    ...(ceiling !== null && { ceiling, ceilingDecimal: decimalOf(ceiling, asset) }),
    ...assetNames(asset),
    ...(feeSource !== null && { feeSource }),
    feeChargedStroops: String(payment.feeCharged),
    ...(sigExpiration !== null && { sigExpirationLedger: sigExpiration }),
    ...(memo !== null && { memo }),
    ...(muxedId !== null && { muxedId }),
    ...(payment.serviceName !== null && { serviceName: payment.serviceName }),
    ...(payment.resource !== null && { resource: payment.resource }),
    ...(payment.resourceCandidates.length > 0 && {
      resourceCandidates: [...payment.resourceCandidates],
    }),
  }
}
