/** A contract's instance and code on the ledger: what it takes to extend and restore both. */
import { xdr } from '@stellar/stellar-sdk'
import type { StellarRpc } from '../rpc/rpc.ts'
import { contractInstanceKey, liveTtl, wasmHashIn } from './contract-ttl.ts'
import { contractCodeKey } from './contract-work.ts'

export interface ContractEntry {
  /** Base64 `LedgerKey`. */
  readonly key: string
  /** Ledgers until it is archived; negative once it is. */
  readonly ttl: number
}

export interface ContractEntries {
  readonly latestLedger: number
  /** Undefined when there is no such contract. */
  readonly instance: ContractEntry | undefined
  /** SHA-256 of its code, 64 hex digits; undefined without an instance, and for a contract built into the host. */
  readonly wasmHash: string | undefined
  /** Undefined when that code is not on the ledger. */
  readonly code: ContractEntry | undefined
  /** The longest TTL that an entry can have. */
  readonly maxTtl: number
}

/** Reads them, and the network's limit. Throws RpcError, and Error when the network lacks its setting. */
export async function readContractEntries(
  { ledgerEntries }: Pick<StellarRpc, 'ledgerEntries'>,
  contract: string,
  signal?: AbortSignal,
): Promise<ContractEntries> {
  const instanceKey = contractInstanceKey(contract)
  const first = await ledgerEntries([instanceKey, archivalKey], signal)
  const { latestLedger } = first
  const found = first.entries.find(({ key }) => key === instanceKey)
  const maxTtl = maxTtlIn(first.entries.find(({ key }) => key === archivalKey)?.xdr)
  const wasmHash = found && wasmHashIn(found)
  return {
    latestLedger,
    instance: found && { key: instanceKey, ttl: liveTtl(found, first) },
    wasmHash,
    code: wasmHash === undefined ? undefined : await readCode({ ledgerEntries }, wasmHash, signal),
    maxTtl,
  }
}

/** Undefined when the ledger has no such code. @param wasmHash 64 hex digits */
export async function readCode(
  { ledgerEntries }: Pick<StellarRpc, 'ledgerEntries'>,
  wasmHash: string,
  signal?: AbortSignal,
): Promise<ContractEntry | undefined> {
  const key = contractCodeKey(wasmHash)
  const codes = await ledgerEntries([key], signal)
  const [code] = codes.entries
  return code && { key, ttl: liveTtl(code, codes) }
}

const archivalKey = xdr.LedgerKey.configSetting(
  new xdr.LedgerKeyConfigSetting({
    configSettingId: xdr.ConfigSettingId.configSettingStateArchival,
  }),
).toXdr('base64')

/** `maxEntryTtl` includes the current ledger (CAP-46-12). */
function maxTtlIn(base64: string | undefined): number {
  const data = base64 === undefined ? undefined : xdr.LedgerEntryData.fromXdr(base64, 'base64')
  const setting = data?.type === 'configSetting' ? data.configSetting : undefined
  if (setting?.type !== 'configSettingStateArchival') {
    throw new Error('the network has no configSettingStateArchival')
  }
  return setting.stateArchivalSettings.maxEntryTtl - 1
}
