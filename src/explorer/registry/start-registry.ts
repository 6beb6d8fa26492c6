import { startWakeableLoop, type WakeableLoop } from '../../platform/core/time/wakeable-loop.ts'
import { onBackgroundError } from '../../platform/telemetry/background-error.ts'
import { TokenReader } from '../../stellar/contracts/token-reader.ts'
import { type NewFacilitator, syncConfigured } from '../store/registry/facilitators-add.ts'
import { registerOwnListings } from '../store/registry/registrations-own.ts'
import { endProofs } from '../store/registry/signers-end.ts'
import {
  addOwnFacilitator,
  claimOwnContracts,
  claimOwnSigners,
} from '../store/registry/signers-own.ts'
import { readBaseUrl } from './base-url.ts'
import { catalogReaders } from './catalogs/poll-catalogs.ts'
import { pollFacilitators } from './facilitators/poll-facilitators.ts'
import { readObservedAssets } from './observed-assets.ts'
import type { RegistryOptions } from './registry-options.ts'

/** Settlements and deleted listings leave the catalog's revision: a round that reads it all finds what they change. */
const WHOLE_CATALOG_EVERY_MS = 60 * 60_000

/**
 * Keeps the registry up to date: the signers of this service, other facilitators by their `/supported`, the names of
 * sellers by the catalogs, and the codes and decimals of assets. Any number of processes share the work. Each part has a
 * loop of its own, so that a slow server of a stranger delays none of the others.
 */
export function startRegistry(options: RegistryOptions): WakeableLoop {
  const tokens = new TokenReader(options.clock)
  const loops = [
    startPart(options, 'explorer_own_signers', ownSigners(options)),
    startPart(options, 'explorer_own_catalog', ownCatalog(options)),
    startPart(options, 'explorer_facilitators', facilitators(options)),
    ...catalogReaders(options).map((read) => startPart(options, 'explorer_catalogs', read)),
    startPart(options, 'explorer_assets', (signal) =>
      readObservedAssets({ ...options, tokens }, signal),
    ),
  ]
  return {
    wake: () => {
      for (const loop of loops) loop.wake()
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(loops.map((loop) => loop[Symbol.asyncDispose]()))
    },
  }
}

/** One round; returns whether it changed something that readers see. */
type Part = (signal: AbortSignal) => Promise<boolean>

function startPart(options: RegistryOptions, task: string, run: Part): WakeableLoop {
  const { clock, signal, onChanged, everyMs = 3_000 } = options
  return startWakeableLoop({
    clock,
    pauseMs: everyMs,
    ...(signal && { signal }),
    onError: onBackgroundError(options, task, "Could not refresh the explorer's registry", {
      task,
    }),
    run: async (stop) => {
      if (await run(stop)) onChanged?.()
    },
  })
}

function ownSigners({ db }: RegistryOptions): Part {
  let isAdded = false
  return async () => {
    if (!isAdded) await addOwnFacilitator(db)
    isAdded = true
    const hasNewSigners = await claimOwnSigners(db)
    return (await claimOwnContracts(db)) || hasNewSigners
  }
}

function ownCatalog({ db, clock, random }: RegistryOptions): Part {
  let seen = 0n
  let wholeAt = 0
  return async () => {
    const isWhole = clock.now() >= wholeAt
    const { revision, hasChanged } = await registerOwnListings(db, isWhole ? 0n : seen)
    if (isWhole && revision > 0n)
      wholeAt = clock.now() + WHOLE_CATALOG_EVERY_MS * (1 - random() / 10)
    if (revision > 0n) seen = revision
    return hasChanged
  }
}

function facilitators(options: RegistryOptions): Part {
  let isSynced = false
  return async (signal) => {
    const hasSynced = !isSynced && (await syncConfigured(options.db, configuredOf(options)))
    isSynced = true
    // Before the polls, in which another facilitator may prove the same signers.
    const haveEnded = await endProofs(options.db)
    const hasPolled = await pollFacilitators(options, signal)
    return hasSynced || haveEnded || hasPolled
  }
}

/** The configured facilitators whose URL is allowed; the others are logged once. */
const configuredOf = ({
  configured,
  allowLoopback,
  log,
}: Pick<RegistryOptions, 'configured' | 'allowLoopback' | 'log'>): NewFacilitator[] => {
  const read = configured.map((url) => readBaseUrl(url, allowLoopback))
  for (const each of read) {
    if (!each.ok)
      log.warn({ reason: each.reason }, 'A URL of FACILITATOR_REGISTRY is left out: correct it')
  }
  return read.filter((each) => each.ok)
}
