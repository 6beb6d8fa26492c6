import {
  readTokenMetadata,
  type TokenMetadata,
  tokenContracts,
} from '../../stellar/contracts/token-contract.ts'
import { assetFactsOf } from '../../stellar/contracts/token-text.ts'
import {
  type ObservedAsset,
  type ObservedAssetFacts,
  postponeObservedAsset,
  saveObservedAsset,
  takeDueObservedAssets,
} from '../store/ingest/assets.ts'
import type { RegistryOptions } from './registry-options.ts'
import { spread } from './spread.ts'

const MINUTE_MS = 60_000
/** A contract that does not say its code or its decimals may be upgraded to one that does. */
const UNKNOWN_EVERY_MS = 24 * 60 * MINUTE_MS
/** Longer than an RPC pool tries one request, three times over. */
const LEASE_MS = MINUTE_MS
const AT_ONCE = 10

/** Every classic asset has 7 decimals, lumens too. */
const CLASSIC_DECIMALS = 7

type Rpc = RegistryOptions['rpcs'] extends ReadonlyMap<unknown, infer Value> ? Value : never

/** Reads code and decimals of the assets that are due, and returns whether anything was new. */
export async function readObservedAssets(
  options: RegistryOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const { db, rpcs, random, log } = options
  const networks = [...rpcs.keys()]
  const due = await takeDueObservedAssets(db, { networks, limit: AT_ONCE, leaseMs: LEASE_MS })
  const changes = await Promise.all(
    due.map(async (asset) => {
      const rpc = rpcs.get(asset.network)
      if (!rpc) return false
      try {
        const facts = await factsOf(rpc, asset, signal)
        return await saveObservedAsset(db, asset.id, facts, spread(UNKNOWN_EVERY_MS, random))
      } catch (error) {
        const { network, contract } = asset
        if (!signal.aborted)
          log.info({ err: error, network, contract }, 'Could not read an asset: trying again')
        await postponeObservedAsset(db, asset.id, signal.aborted ? 0 : spread(MINUTE_MS, random))
        return false
      }
    }),
  )
  return changes.includes(true)
}

async function factsOf(
  rpc: Rpc,
  { contract }: ObservedAsset,
  signal: AbortSignal,
): Promise<ObservedAssetFacts> {
  const found = await tokenContracts(rpc, [contract], signal)
  const token = found.get(contract)
  if (!token) return { code: null, issuer: null, decimals: null }
  if (token.kind === 'custom') return customFacts(await readTokenMetadata(rpc, contract, signal))
  const classic = token.kind === 'native' ? { code: 'XLM', issuer: null } : token
  return { code: classic.code, issuer: classic.issuer, decimals: CLASSIC_DECIMALS }
}

/**
 * The symbol and decimals that a custom token reports. The symbol may equal the code of any asset, but must not read as that
 * asset itself: lumens have no issuer, and `CODE:ISSUER` names one.
 */
export function customFacts(metadata: TokenMetadata): ObservedAssetFacts {
  const { symbol, decimals } = assetFactsOf(metadata)
  const isMisleading =
    symbol !== null && (symbol.includes(':') || ['xlm', 'native'].includes(symbol.toLowerCase()))
  return { code: isMisleading ? null : symbol, issuer: null, decimals }
}
