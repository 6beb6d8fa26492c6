import type { NetworkId } from '../../platform/core/caip2.ts'
import { tokenContracts } from '../../stellar/contracts/token-contract.ts'
import { type TokenReader, tokenPauseMs } from '../../stellar/contracts/token-reader.ts'
import { assetFactsOf, classicFactsOf } from '../../stellar/contracts/token-text.ts'
import type { StellarRpc } from '../../stellar/rpc/rpc.ts'
import { type DueAsset, postponeAsset, saveAssetFacts } from '../store/facts.ts'
import type { FactsOptions } from './facts-options.ts'
import { spread } from './spread.ts'

const MINUTE_MS = 60_000
const EVERY_MS = 24 * 60 * MINUTE_MS

interface Reads extends FactsOptions {
  readonly tokens: TokenReader
}

type Rpc = Pick<StellarRpc, 'simulate'>

/**
 * Reads the facts of the network's assets, in one request: a seller can name any contract, and those of classic assets have their
 * metadata in the ledger. Other code runs only of an asset in which a payment was made, since the operator accepts it. Returns whether
 * a fact changed.
 */
export async function readAssets(
  reads: Reads,
  network: NetworkId,
  assets: readonly DueAsset[],
  signal: AbortSignal,
): Promise<boolean> {
  const { rpcs, random, log, store } = reads
  const rpc = rpcs.get(network)
  if (!rpc || assets.length === 0) return false
  try {
    const contracts = await tokenContracts(
      rpc,
      assets.map(({ asset }) => asset),
      signal,
    )
    let hasChanged = false
    for (const asset of assets) {
      const contract = contracts.get(asset.asset)
      const isNew =
        contract?.kind === 'custom' && asset.isPaid
          ? await readToken(reads, rpc, asset, signal)
          : await saveAssetFacts(
              store.db,
              asset,
              contract && contract.kind !== 'custom' ? classicFactsOf(contract) : assetFactsOf({}),
              { dueInMs: spread(EVERY_MS, random) },
            )
      hasChanged ||= isNew
    }
    return hasChanged
  } catch (error) {
    if (!signal.aborted) log.info({ err: error, network }, 'Could not read assets: trying again')
    for (const asset of assets) {
      const ms = signal.aborted ? 0 : spread(MINUTE_MS, random)
      await postponeAsset(store.db, asset, { ms, failures: asset.failures })
    }
    return false
  }
}

async function readToken(
  { store: { db }, random, log, tokens }: Reads,
  rpc: Rpc,
  asset: DueAsset,
  signal: AbortSignal,
): Promise<boolean> {
  const { network, asset: contract, failures } = asset
  const reading = await tokens.read(rpc, contract, signal)
  const pauseMs = spread(tokenPauseMs(failures + 1), random)
  switch (reading.kind) {
    case 'later':
      await postponeAsset(db, asset, { ms: reading.afterMs, failures })
      return false
    case 'failed':
      log.info({ err: reading.error, network, contract, pauseMs }, 'A token did not answer')
      await postponeAsset(db, asset, { ms: pauseMs, failures: failures + 1 })
      return false
    case 'partial':
      return saveAssetFacts(db, asset, assetFactsOf(reading.metadata), {
        dueInMs: pauseMs,
        failures: failures + 1,
      })
    case 'complete':
      return saveAssetFacts(db, asset, assetFactsOf(reading.metadata), {
        dueInMs: spread(EVERY_MS, random),
      })
  }
}
