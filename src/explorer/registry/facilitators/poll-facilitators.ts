import { isNetworkId } from '../../../platform/core/caip2.ts'
import {
  returnFacilitator,
  saveFacilitator,
  saveFailure,
} from '../../store/registry/facilitators.ts'
import { type DueFacilitator, takeDueFacilitators } from '../../store/registry/facilitators-due.ts'
import type { RegistryOptions } from '../registry-options.ts'
import { spread } from '../spread.ts'
import { askSupported, displayNameOf } from './ask-supported.ts'

const MINUTE_MS = 60_000
export const POLL_EVERY_MS = 5 * MINUTE_MS
/** Pause before asking a facilitator again that never answered: it may just be starting. */
const RETRY_MS = MINUTE_MS / 2
/** Longer than an answer may take. */
const LEASE_MS = MINUTE_MS
/** 1,000 facilitators that do not answer within 5 s then take one process 5 minutes. */
const AT_ONCE = 16
/** A round ends after so many batches: readers see what changed when it is over, however many slow facilitators are due again by then. */
const MAX_BATCHES = 4

/** Asks the facilitators that are due, in batches, and returns whether anything changed. The next round asks those that are left. */
export async function pollFacilitators(
  options: RegistryOptions,
  signal: AbortSignal,
): Promise<boolean> {
  let hasChanged = false
  for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch++) {
    const due = await takeDueFacilitators(options.db, { limit: AT_ONCE, leaseMs: LEASE_MS })
    const changes = await Promise.all(due.map((each) => pollOne(options, each, signal)))
    hasChanged ||= changes.includes(true)
    if (due.length < AT_ONCE) break
  }
  return hasChanged
}

async function pollOne(
  { db, fetchers, clock, random, log, metrics }: RegistryOptions,
  facilitator: DueFacilitator,
  signal: AbortSignal,
): Promise<boolean> {
  const { id, baseUrl, source, hasAnswered } = facilitator
  const answer = await askSupported(fetchers, { baseUrl, source, clock, signal })
  if (signal.aborted) {
    await returnFacilitator(db, id)
    return false
  }
  metrics.explorerPolls.inc({ outcome: answer.ok ? 'ok' : 'failed' })
  if (!answer.ok) {
    const { reason } = answer
    log.info(
      { facilitator: id, reason },
      'Facilitator did not answer: its signers stay while their proofs hold',
    )
    await saveFailure(db, id, reason, spread(hasAnswered ? POLL_EVERY_MS : RETRY_MS, random))
    return false
  }
  const facts = { ...answer.facts, displayName: displayNameOf(answer.facts, baseUrl, source) }
  const hasChanged = await saveFacilitator(db, { id, source }, facts, spread(POLL_EVERY_MS, random))
  if (hasChanged) {
    const networks = facts.networks.filter(isNetworkId)
    const signers = facts.signers.length
    log.info({ facilitator: id, networks, signers }, 'Facilitator has changed')
  }
  return hasChanged
}
