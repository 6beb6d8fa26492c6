import { xdr } from '@stellar/stellar-sdk'
import type { StellarRpc } from '../rpc/rpc.ts'
import { accountKey } from './account-entries.ts'
import { addressKind, baseAddress } from './strkey.ts'

/**
 * The home domains that accounts name on the ledger, by `G...` account, in lower case; none of a contract, or of an account
 * without one. Throws `RpcError`.
 *
 * @param addresses at most 200; muxed perhaps
 */
export async function readHomeDomains(
  rpc: Pick<StellarRpc, 'ledgerEntries'>,
  addresses: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const accounts = new Set(
    addresses.map(baseAddress).filter((address) => addressKind(address) === 'account'),
  )
  if (accounts.size === 0) return new Map()
  const byKey = new Map([...accounts].map((account) => [accountKey(account), account]))
  const { entries } = await rpc.ledgerEntries([...byKey.keys()], signal)
  return new Map(
    entries.flatMap(({ key, xdr: base64 }): [string, string][] => {
      const account = byKey.get(key)
      const data = xdr.LedgerEntryData.fromXdr(base64, 'base64')
      if (account === undefined || data.type !== 'account') return []
      const domain = data.account.homeDomain.toString().toLowerCase()
      return domain === '' ? [] : [[account, domain]]
    }),
  )
}
