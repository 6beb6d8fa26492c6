import {
  type ClassicContract,
  type TokenMetadata,
  tokenContracts,
} from '../../stellar/contracts/token-contract.ts'
import { type TokenReader, tokenPauseMs } from '../../stellar/contracts/token-reader.ts'
import { assetFactsOf, CLASSIC_DECIMALS } from '../../stellar/contracts/token-text.ts'
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
/** One request reads as many entries. */
const PER_ROUND = 200

interface Reads extends RegistryOptions {
  readonly tokens: TokenReader
}

type Rpc = RegistryOptions['rpcs'] extends ReadonlyMap<unknown, infer Value> ? Value : never

/** Reads code and decimals of the assets that are due, and returns whether anything was new. */
export async function readObservedAssets(reads: Reads, signal: AbortSignal): Promise<boolean> {
  const { db, rpcs, random, log } = reads
  const networks = [...rpcs.keys()]
  const due = await takeDueObservedAssets(db, { networks, limit: PER_ROUND, leaseMs: LEASE_MS })
  let hasChanged = false
  for (const [network, assets] of Map.groupBy(due, (each) => each.network)) {
    const rpc = rpcs.get(network)
    if (!rpc) continue
    try {
      const isNew = await readAssets(reads, rpc, assets, signal)
      hasChanged ||= isNew
    } catch (error) {
      if (!signal.aborted) log.info({ err: error, network }, 'Could not read assets: trying again')
      const ms = signal.aborted ? 0 : spread(MINUTE_MS, random)
      for (const { id, failures } of assets) await postponeObservedAsset(db, id, { ms, failures })
    }
  }
  return hasChanged
}

async function readAssets(
  reads: Reads,
  rpc: Rpc,
  assets: readonly ObservedAsset[],
  signal: AbortSignal,
): Promise<boolean> {
  const { db, random } = reads
  const contracts = assets.map(({ contract }) => contract)
  const tokens = await tokenContracts(rpc, contracts, signal)
  let hasChanged = false
  for (const asset of assets) {
    const token = tokens.get(asset.contract)
    const isNew =
      token?.kind === 'custom'
        ? await readToken(reads, rpc, asset, signal)
        : await saveObservedAsset(
            db,
            asset.id,
            token ? classicFacts(token) : { code: null, issuer: null, decimals: null },
            { dueInMs: spread(UNKNOWN_EVERY_MS, random) },
          )
    hasChanged ||= isNew
  }
  return hasChanged
}

const classicFacts = (token: ClassicContract): ObservedAssetFacts => ({
  code: token.kind === 'native' ? 'XLM' : token.code,
  issuer: token.kind === 'native' ? null : token.issuer,
  decimals: CLASSIC_DECIMALS,
})

async function readToken(
  { db, random, log, tokens }: Reads,
  rpc: Rpc,
  { id, network, contract, failures }: ObservedAsset,
  signal: AbortSignal,
): Promise<boolean> {
  const reading = await tokens.read(rpc, contract, signal)
  const pauseMs = spread(tokenPauseMs(failures + 1), random)
  switch (reading.kind) {
    case 'later':
      await postponeObservedAsset(db, id, { ms: reading.afterMs, failures })
      return false
    case 'failed':
      log.info({ err: reading.error, network, contract, pauseMs }, 'A token did not answer')
      await postponeObservedAsset(db, id, { ms: pauseMs, failures: failures + 1 })
      return false
    case 'partial':
      return saveObservedAsset(db, id, customFacts(reading.metadata), {
        dueInMs: pauseMs,
        failures: failures + 1,
      })
    case 'complete':
      return saveObservedAsset(db, id, customFacts(reading.metadata), {
        dueInMs: spread(UNKNOWN_EVERY_MS, random),
      })
  }
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
