import { xdr } from '@stellar/stellar-sdk'
import { addressKind } from '../accounts/strkey.ts'
import type { StellarRpc } from '../rpc/rpc.ts'
import { simulationEnvelope } from '../transactions/settlement-envelope.ts'
import { readScValue } from '../values/read-sc-value.ts'
import type { ScValue } from '../values/sc-value.ts'
import { unauthorizedCall } from './contract-call.ts'
import { contractInstanceKey } from './contract-ttl.ts'

type Rpc = Pick<StellarRpc, 'ledgerEntries' | 'simulate'>

/** The kind of token that a contract is. */
export type TokenContract =
  /** The contract of lumens, built into the host. */
  | { readonly kind: 'native' }
  /** The contract of a classic asset, built into the host. */
  | { readonly kind: 'classic'; readonly code: string; readonly issuer: string }
  | { readonly kind: 'custom' }

/** Metadata that a token reports (SEP-41): its author's words, unchecked. */
export interface TokenMetadata {
  readonly symbol?: string
  readonly name?: string
  readonly decimals?: bigint
}

/** Reads what contracts (`C...`) are, by address; one that does not exist is left out. Throws `RpcError`. */
export async function tokenContracts(
  { ledgerEntries }: Pick<Rpc, 'ledgerEntries'>,
  contracts: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, TokenContract>> {
  const known = contracts.filter((contract) => addressKind(contract) === 'contract')
  if (known.length === 0) return new Map()
  const keys = new Map(known.map((contract) => [contractInstanceKey(contract), contract]))
  const { entries } = await ledgerEntries([...keys.keys()], signal)
  return new Map(
    entries.flatMap(({ key, xdr: base64 }) => {
      const contract = keys.get(key)
      const token = readInstance(base64)
      return contract && token ? [[contract, token] as const] : []
    }),
  )
}

/** The host writes the name of an asset's contract: `native` or `CODE:ISSUER`. */
function readInstance(base64: string): TokenContract | undefined {
  const data = xdr.LedgerEntryData.fromXdr(base64, 'base64')
  if (data.type !== 'contractData' || data.contractData.val.type !== 'scvContractInstance') {
    return undefined
  }
  const { executable, storage } = data.contractData.val.instance
  if (executable.type !== 'contractExecutableStellarAsset') return { kind: 'custom' }
  const metadata = (storage ?? []).find(({ key }) => {
    const value = readScValue(key)
    return value.type === 'symbol' && value.value === 'METADATA'
  })
  const name = metadata && memberOf(readScValue(metadata.val), 'name')
  if (name?.type !== 'string') return { kind: 'custom' }
  const [code = '', issuer] = name.value.split(':')
  return issuer === undefined ? { kind: 'native' } : { kind: 'classic', code, issuer }
}

function memberOf(value: ScValue, name: string): ScValue | undefined {
  if (value.type !== 'map') return undefined
  return value.entries.find(([key]) => key.type === 'symbol' && key.value === name)?.[1]
}

/**
 * Calls `symbol`, `name` and `decimals` of a contract. What it does not answer in the type of SEP-41 is left out.
 * Throws `RpcError` when no endpoint answers.
 */
export async function readTokenMetadata(
  rpc: Pick<Rpc, 'simulate'>,
  contract: string,
  signal?: AbortSignal,
): Promise<TokenMetadata> {
  if (addressKind(contract) !== 'contract') return {}
  const [symbol, name, decimals] = await Promise.all(
    ['symbol', 'name', 'decimals'].map((each) => call(rpc, contract, each, signal)),
  )
  return {
    ...(symbol?.type === 'string' && { symbol: symbol.value }),
    ...(name?.type === 'string' && { name: name.value }),
    ...(decimals?.type === 'u32' && { decimals: decimals.value }),
  }
}

async function call(
  rpc: Pick<Rpc, 'simulate'>,
  contract: string,
  functionName: string,
  signal: AbortSignal | undefined,
): Promise<ScValue | undefined> {
  const envelope = simulationEnvelope(unauthorizedCall(contract, functionName))
  const simulation = await rpc.simulate(envelope, signal)
  if (simulation.kind === 'failed' || simulation.returnValueXdr === undefined) return undefined
  return readScValue(xdr.ScVal.fromXdr(simulation.returnValueXdr, 'base64'))
}
