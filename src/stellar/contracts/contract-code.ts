import { xdr } from '@stellar/stellar-sdk'
import { toHex } from '../accounts/signing.ts'
import type { StellarRpc } from '../rpc/rpc.ts'
import { contractInstanceKey } from './contract-ttl.ts'

/** The code of a contract: Wasm by its hash, or a contract that is built into the host. */
export type ContractCode =
  /** SHA-256 of the Wasm, 64 hex digits. */
  { readonly kind: 'wasm'; readonly hash: string } | { readonly kind: 'builtIn' }

/**
 * Reads from a contract's instance (`C...`) what code it runs; undefined when the ledger has no such contract, or has
 * archived it. Throws `RpcError`.
 */
export async function contractCode(
  { ledgerEntries }: Pick<StellarRpc, 'ledgerEntries'>,
  contract: string,
  signal?: AbortSignal,
): Promise<ContractCode | undefined> {
  const key = contractInstanceKey(contract)
  const { entries } = await ledgerEntries([key], signal)
  const entry = entries.find((each) => each.key === key)
  if (!entry) return undefined
  const data = xdr.LedgerEntryData.fromXdr(entry.xdr, 'base64')
  if (data.type !== 'contractData' || data.contractData.val.type !== 'scvContractInstance') {
    return undefined
  }
  const { executable } = data.contractData.val.instance
  return executable.type === 'contractExecutableWasm'
    ? { kind: 'wasm', hash: toHex(executable.wasmHash.toBytes()) }
    : { kind: 'builtIn' }
}
