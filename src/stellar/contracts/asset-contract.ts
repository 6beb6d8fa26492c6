import { Asset } from '@stellar/stellar-sdk'

/** A classic asset; lumens have the code `XLM` and no issuer. */
export interface ClassicAsset {
  readonly code: string
  readonly issuer?: string
}

/** Names can come from any contract, so only so many are kept. */
const MAX_KNOWN = 10_000
const known = new Map<string, string | undefined>()

/**
 * The classic asset of a name as asset contracts write it into their events, `native` or `CODE:ISSUER`, when `contract`
 * (`C...`) is the contract of that asset. Undefined otherwise: any contract can claim any name.
 */
export function classicAssetOf(
  contract: string,
  name: string,
  passphrase: string,
): ClassicAsset | undefined {
  const key = `${passphrase} ${name}`
  if (!known.has(key)) {
    if (known.size === MAX_KNOWN) known.clear()
    known.set(key, contractOf(name, passphrase))
  }
  if (known.get(key) !== contract) return undefined
  if (name === 'native') return { code: 'XLM' }
  const [code = '', issuer = ''] = name.split(':')
  return { code, issuer }
}

/** The contract (`C...`) of lumens on the network of a passphrase. */
export const nativeContract = (passphrase: string): string => Asset.native().contractId(passphrase)

function contractOf(name: string, passphrase: string): string | undefined {
  try {
    if (name === 'native') return nativeContract(passphrase)
    const [code = '', issuer, ...rest] = name.split(':')
    return rest.length === 0 ? new Asset(code, issuer).contractId(passphrase) : undefined
  } catch {
    return undefined
  }
}
