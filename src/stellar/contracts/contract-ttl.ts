/** Time to live of contracts: ledgers until the network archives them (CAP-46-12). */
import { Address, xdr } from '@stellar/stellar-sdk'
import type { LedgerEntries, LedgerEntryXdr, StellarRpc } from '../rpc/rpc.ts'
import { contractCodeKey } from './contract-work.ts'

export interface ContractTtl {
  /** Ledgers until the instance is archived; negative once it is, null when there is no contract. */
  readonly instanceTtl: number | null
  /**
   * The same for its code; null when the instance names code that is not on the ledger. Absent for a
   * contract built into the host, such as a Stellar Asset Contract.
   */
  readonly codeTtl?: number | null
}

/** Base64 `LedgerKey` of a contract's instance. */
export const contractInstanceKey = (contract: string): string =>
  xdr.LedgerKey.contractData(
    new xdr.LedgerKeyContractData({
      contract: Address.fromString(contract).toScAddress(),
      key: xdr.ScVal.scvLedgerKeyContractInstance(),
      durability: xdr.ContractDataDurability.persistent,
    }),
  ).toXdr('base64')

/**
 * Reads the TTLs of contracts (`C...`), by address: one request for the instances and one for the code.
 * Throws `RpcError`.
 */
export async function contractTtls(
  { ledgerEntries }: Pick<StellarRpc, 'ledgerEntries'>,
  contracts: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, ContractTtl>> {
  if (contracts.length === 0) return new Map()
  const instances = await ledgerEntries(contracts.map(contractInstanceKey), signal)
  const byKey = new Map(instances.entries.map((entry) => [entry.key, entry]))
  const found = contracts.map((contract) => {
    const entry = byKey.get(contractInstanceKey(contract))
    return { contract, entry, codeKey: entry && codeKeyIn(entry) }
  })
  const codeKeys = [...new Set(found.flatMap(({ codeKey }) => codeKey ?? []))]
  const codes = codeKeys.length > 0 ? await ledgerEntries(codeKeys, signal) : noEntries
  return new Map(
    found.map(({ contract, entry, codeKey }) => [
      contract,
      {
        instanceTtl: ttlOf(entry, instances),
        ...(codeKey !== undefined && {
          codeTtl: ttlOf(
            codes.entries.find(({ key }) => key === codeKey),
            codes,
          ),
        }),
      },
    ]),
  )
}

const noEntries: LedgerEntries = { latestLedger: 0, entries: [] }

/** Stellar RPC gives zero for an archived entry, so how long ago it was archived is unknown. */
const ARCHIVED_TTL = -1

const ttlOf = (entry: LedgerEntryXdr | undefined, read: LedgerEntries): number | null =>
  entry ? liveTtl(entry, read) : null

/** Ledgers until the entry is archived; negative once it is. */
export function liveTtl(
  { liveUntilLedger = 0 }: Pick<LedgerEntryXdr, 'liveUntilLedger'>,
  { latestLedger }: Pick<LedgerEntries, 'latestLedger'>,
): number {
  return liveUntilLedger === 0 ? ARCHIVED_TTL : liveUntilLedger - latestLedger
}

/** Base64 `LedgerKey` of an instance's Wasm code; undefined when the contract is built into the host. */
function codeKeyIn(instance: LedgerEntryXdr): string | undefined {
  const hash = wasmHashIn(instance)
  return hash === undefined ? undefined : contractCodeKey(hash)
}

/**
 * SHA-256 of an instance's Wasm code, 64 hex digits; undefined when the contract is built into the host.
 * @param instance the entry of `contractInstanceKey`
 */
export function wasmHashIn({ xdr: base64 }: Pick<LedgerEntryXdr, 'xdr'>): string | undefined {
  const data = xdr.LedgerEntryData.fromXdr(base64, 'base64')
  if (data.type !== 'contractData' || data.contractData.val.type !== 'scvContractInstance') {
    return undefined
  }
  const { executable } = data.contractData.val.instance
  return executable.type === 'contractExecutableWasm'
    ? Buffer.from(executable.wasmHash.toXdr()).toString('hex')
    : undefined
}
