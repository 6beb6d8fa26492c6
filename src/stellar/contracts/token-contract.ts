import { xdr } from '@stellar/stellar-sdk'
import { addressKind } from '../accounts/strkey.ts'
import type { StellarRpc } from '../rpc/rpc.ts'
import { simulationEnvelope } from '../transactions/settlement-envelope.ts'
import { readScValue } from '../values/read-sc-value.ts'
import type { ScValue } from '../values/sc-value.ts'
import { unauthorizedCall } from './contract-call.ts'
import { contractInstanceKey } from './contract-ttl.ts'

type Rpc = Pick<StellarRpc, 'ledgerEntries' | 'simulate'>

/** The contract of lumens or of another classic asset, built into the host. */
export type ClassicContract =
  | { readonly kind: 'native' }
  | { readonly kind: 'classic'; readonly code: string; readonly issuer: string }

/** The kind of token that a contract is. */
export type TokenContract = ClassicContract | { readonly kind: 'custom' }

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
 * Calls `symbol`, `name` and `decimals` of a contract, one after the other up to the first that it does not answer in the type of SEP-41.
 * They run code of a stranger, so their requests have a queue of their own. Throws `RpcError` when no endpoint answers.
 */
export async function readTokenMetadata(
  rpc: Pick<Rpc, 'simulate'>,
  contract: string,
  signal?: AbortSignal,
): Promise<TokenMetadata> {
  if (addressKind(contract) !== 'contract') return {}
  const symbol = await call(rpc, contract, 'symbol', signal)
  if (symbol?.type !== 'string') return {}
  const name = await call(rpc, contract, 'name', signal)
  if (name?.type !== 'string') return { symbol: symbol.value }
  const decimals = await call(rpc, contract, 'decimals', signal)
  return {
    symbol: symbol.value,
    name: name.value,
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
  const simulation = await rpc.simulate(envelope, signal, 'simulate_token')
  if (simulation.kind === 'failed' || simulation.returnValueXdr === undefined) return undefined
  return readScValue(xdr.ScVal.fromXdr(simulation.returnValueXdr, 'base64'))
}
