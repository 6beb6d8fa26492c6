import type { FacilitatorShare, PaymentRecord, SellerEntry } from '../../records.ts'
import type { CsvValue } from './csv-line.ts'

/** The columns of a table, by their names in the first line: those of the API's records. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => CsvValue>>

export const paymentColumns: Columns<PaymentRecord> = {
  closedAt: (row) => row.closedAt,
  network: (row) => row.network,
  epoch: (row) => row.epoch,
  ledger: (row) => row.ledger,
  txHash: (row) => row.txHash,
  scheme: (row) => row.scheme,
  buyer: (row) => row.buyer,
  seller: (row) => row.seller,
  serviceName: (row) => row.serviceName,
  resource: (row) => row.resource,
  resourceCandidates: (row) => row.resourceCandidates?.join(' '),
  amountDecimal: (row) => row.amountDecimal,
  amount: (row) => row.amount,
  ceilingDecimal: (row) => row.ceilingDecimal,
  ceiling: (row) => row.ceiling,
  assetCode: (row) => row.assetCode,
  asset: (row) => row.asset,
  assetContract: (row) => row.assetContract,
  confidence: (row) => row.confidence,
  facilitatorId: (row) => row.facilitator?.id,
  facilitator: (row) => row.facilitator?.displayName,
  txSource: (row) => row.txSource,
  feeSource: (row) => row.feeSource,
  feeChargedStroops: (row) => row.feeChargedStroops,
  sigExpirationLedger: (row) => row.sigExpirationLedger,
  memo: (row) => row.memo,
  muxedId: (row) => row.muxedId,
}

export const sellerColumns: Columns<SellerEntry> = {
  payTo: (row) => row.payTo,
  network: (row) => row.network,
  serviceName: (row) => row.serviceName,
  resource: (row) => row.resource,
  description: (row) => row.description,
  resourceCount: (row) => row.resourceCount,
  registered: (row) => row.registered,
  payments: (row) => row.payments,
  uniqueBuyers: (row) => row.uniqueBuyers,
  firstSeenAt: (row) => row.firstSeenAt,
  lastSeenAt: (row) => row.lastSeenAt,
  volume: ({ volume }) =>
    volume
      .map(({ totalDecimal, asset, assetContract }) => `${totalDecimal} ${asset ?? assetContract}`)
      .join('; '),
}

export const facilitatorColumns: Columns<FacilitatorShare> = {
  facilitatorId: (row) => row.facilitatorId ?? undefined,
  displayName: (row) => row.displayName,
  verified: (row) => row.verified,
  payments: (row) => row.payments,
  share: (row) => row.share,
  payments24h: (row) => row.windows['24h'],
  payments7d: (row) => row.windows['7d'],
  payments30d: (row) => row.windows['30d'],
  lastPaymentAt: (row) => row.lastPaymentAt,
}
