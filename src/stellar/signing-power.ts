import { xdr } from '@stellar/stellar-sdk'

/** What an account's own key may do without the signature of any other. */
export interface SigningPower {
  readonly masterWeight: number
  /** Weight that paying a transaction's fee takes. */
  readonly low: number
  /** Weight that payments and new accounts take. */
  readonly medium: number
  /** Weight that merging the account takes. */
  readonly high: number
}

/** Reads a base64 `LedgerEntryData`; undefined when it is not an account. */
export function readSigningPower(base64: string): SigningPower | undefined {
  const data = xdr.LedgerEntryData.fromXdr(base64, 'base64')
  if (data.type !== 'account') return undefined
  const [masterWeight = 0, low = 0, medium = 0, high = 0] = data.account.thresholds.toBytes()
  return { masterWeight, low, medium, high }
}
