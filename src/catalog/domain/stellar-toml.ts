import { parse } from 'smol-toml'
import { type NetworkId, passphrases } from '../../platform/core/caip2.ts'
import { baseAddress } from '../../stellar/accounts/strkey.ts'

/** Where a host publishes which accounts are its own (SEP-1). */
export const STELLAR_TOML_PATH = '/.well-known/stellar.toml'

/** The statements of a stellar.toml about accounts. */
export interface StellarToml {
  readonly accounts: ReadonlySet<string>
  readonly passphrase: string
}

/** Far more than SEP-1 needs. */
const MAX_DEPTH = 16

/** Reads a file; undefined when it is not TOML. Without `NETWORK_PASSPHRASE` it speaks of the public network. */
export function readStellarToml(bytes: Uint8Array): StellarToml | undefined {
  const text = new TextDecoder().decode(bytes)
  try {
    const table = parse(text, { maxDepth: MAX_DEPTH, integersAsBigInt: 'asNeeded' })
    const { ACCOUNTS: accounts, NETWORK_PASSPHRASE: passphrase } = table
    return {
      accounts: new Set(
        Array.isArray(accounts) ? accounts.filter((each) => typeof each === 'string') : [],
      ),
      passphrase: typeof passphrase === 'string' ? passphrase : passphrases['stellar:pubnet'],
    }
  } catch {
    return undefined
  }
}

/** Whether the file names an address, or the account of a muxed one, as one of its host's on a network. */
export const claims = (
  { accounts, passphrase }: StellarToml,
  network: NetworkId,
  owner: string,
): boolean => passphrase === passphrases[network] && accounts.has(baseAddress(owner))
