import type { AcceptedAsset, PaymentPolicy, UptoPolicy } from '../protocol/policy.ts'

/** The settings of a network that decide which payments are accepted. */
export interface PaymentTerms
  extends Pick<
    PaymentPolicy,
    | 'passphrase'
    | 'maxTxFeeStroops'
    | 'expirationMarginLedgers'
    | 'timeoutMinSeconds'
    | 'timeoutMaxSeconds'
  > {
  readonly id: PaymentPolicy['network']
  readonly assets: readonly AcceptedAsset[]
  readonly upto: UptoPolicy | undefined
}

export const paymentPolicy = (
  terms: PaymentTerms,
  isOwnAccount: PaymentPolicy['isOwnAccount'],
): PaymentPolicy => ({
  network: terms.id,
  passphrase: terms.passphrase,
  assets: new Map(terms.assets.map((asset) => [asset.contract, asset])),
  isOwnAccount,
  maxTxFeeStroops: terms.maxTxFeeStroops,
  expirationMarginLedgers: terms.expirationMarginLedgers,
  timeoutMinSeconds: terms.timeoutMinSeconds,
  timeoutMaxSeconds: terms.timeoutMaxSeconds,
  upto: terms.upto,
})
