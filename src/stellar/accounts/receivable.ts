import { xdr } from '@stellar/stellar-sdk'
import { contractInstanceKey } from '../contracts/contract-ttl.ts'
import { type TokenContract, tokenContracts } from '../contracts/token-contract.ts'
import type { StellarRpc } from '../rpc/rpc.ts'
import { accountKey, trustlineKey } from './account-entries.ts'
import { addressKind, baseAddress } from './strkey.ts'

/** An address to be paid in a token. */
export interface Payee {
  /** Strkey of the token contract. */
  readonly asset: string
  /** `G...`, `C...` or `M...`. */
  readonly payTo: string
}

/**
 * Whether each payee can receive its token at present, in order: a contract when it exists; an account lumens when it
 * exists, a classic asset when it is the issuer or has an authorized trustline, and any other token without more,
 * since such a token keeps balances of its own. False for a token that does not exist. Throws `RpcError`.
 */
export async function readReceivable(
  rpc: Pick<StellarRpc, 'ledgerEntries'>,
  payees: readonly Payee[],
  signal?: AbortSignal,
): Promise<readonly boolean[]> {
  const assets = [...new Set(payees.map(({ asset }) => asset))]
  const tokens = await tokenContracts(rpc, assets, signal)
  const keys = payees.map((payee) => keyToRead(payee, tokens.get(payee.asset)))
  const wanted = [...new Set(keys.filter((key) => typeof key === 'string'))]
  const { entries } = wanted.length > 0 ? await rpc.ledgerEntries(wanted, signal) : { entries: [] }
  const found = new Map(entries.map(({ key, xdr: base64 }) => [key, base64]))
  return keys.map((key) => {
    if (typeof key === 'boolean') return key
    const entry = found.get(key)
    return entry !== undefined && acceptsPayments(entry)
  })
}

/** Base64 `LedgerKey` of the entry that decides; a boolean when none is needed. */
function keyToRead({ payTo }: Payee, token: TokenContract | undefined): string | boolean {
  if (!token || addressKind(payTo) === undefined) return false
  const address = baseAddress(payTo)
  if (addressKind(address) === 'contract') return contractInstanceKey(address)
  if (token.kind === 'custom') return true
  if (token.kind === 'native' || token.issuer === address) return accountKey(address)
  return trustlineKey(address, token.code, token.issuer)
}

const AUTHORIZED_FLAG = 1

/** A trustline only when its issuer authorizes it in full: not for offers alone. */
function acceptsPayments(base64: string): boolean {
  const data = xdr.LedgerEntryData.fromXdr(base64, 'base64')
  return data.type !== 'trustline' || (data.trustLine.flags & AUTHORIZED_FLAG) !== 0
}
