/** Assets in the forms that operations, trustlines and the SDK use. */
import { Asset, xdr } from '@stellar/stellar-sdk'
import { type AccountId, accountIdOf } from './account-id.ts'

type Credit = Exclude<xdr.Asset, { type: 'assetTypeNative' }>

export const isCredit = (asset: xdr.Asset): asset is Credit => asset.type !== 'assetTypeNative'

export const issuerOf = (asset: Credit): AccountId => accountIdOf(asset.value.issuer)

/** The code is letters and digits padded with zeros: 1 to 4, or 5 to 12 in the long form (protocol 10). */
export function isValidAsset(asset: xdr.Asset): boolean {
  if (!isCredit(asset)) return true
  const code = Buffer.from(asset.value.assetCode.value).toString('latin1')
  const minLength = asset.type === 'assetTypeCreditAlphanum4' ? 1 : 5
  const used = /^([0-9A-Za-z]*)\0*$/.exec(code)?.[1]
  return used !== undefined && used.length >= minLength
}

export const trustlineAsset = (asset: Credit): xdr.TrustLineAsset =>
  asset.type === 'assetTypeCreditAlphanum4'
    ? xdr.TrustLineAsset.assetTypeCreditAlphanum4(asset.alphaNum4)
    : xdr.TrustLineAsset.assetTypeCreditAlphanum12(asset.alphaNum12)

/** Undefined for XLM, which has no trustlines, and for liquidity pool shares. */
export function trustlineCredit(asset: xdr.TrustLineAsset): Credit | undefined {
  switch (asset.type) {
    case 'assetTypeCreditAlphanum4':
      return xdr.Asset.assetTypeCreditAlphanum4(asset.alphaNum4)
    case 'assetTypeCreditAlphanum12':
      return xdr.Asset.assetTypeCreditAlphanum12(asset.alphaNum12)
    default:
      return undefined
  }
}

export const sdkAsset = (asset: xdr.Asset): Asset => Asset.fromOperation(asset)
