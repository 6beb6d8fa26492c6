import type { z } from 'zod'
import { Fault } from '../../../platform/core/errors/faults.ts'
import { printable } from '../../../platform/core/text/printable.ts'
import type { Clock } from '../../../platform/core/time/clock.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { facilitatorSchema } from '../../records.ts'
import {
  type Facilitator,
  readFacilitator,
  saveFacilitator,
} from '../../store/registry/facilitators.ts'
import { addAnnounced } from '../../store/registry/facilitators-add.ts'
import { areOwnSigners } from '../../store/registry/signers-own.ts'
import { readBaseUrl } from '../base-url.ts'
import { askSupported, displayNameOf, type FacilitatorSays } from '../facilitators/ask-supported.ts'
import { POLL_EVERY_MS } from '../facilitators/poll-facilitators.ts'
import type { RegistryFetchers } from '../registry-fetchers.ts'
import { choosePlace } from './choose-place.ts'

/** A facilitator without its figures. */
export const announcedSchema = facilitatorSchema.omit({
  payments: true,
  share: true,
  windows: true,
})
type AnnouncedFacilitator = z.output<typeof announcedSchema>

export interface AnnounceDeps {
  readonly db: Db
  readonly fetchers: Pick<RegistryFetchers, 'supported'>
  /** Whether facilitators on this machine may be announced: for development. */
  readonly allowLoopback: boolean
  /** Base URLs of this service, which is no other facilitator. */
  readonly ownBaseUrls: readonly string[]
  readonly clock: Clock
  /** The registry has changed. */
  readonly onChanged?: () => void
}

const MAX_SHOWN = 100

/**
 * Adds the facilitator at a base URL to the registry, if its `/supported` answers as it should. Throws the faults
 * `explorer_announce_invalid_url`, `explorer_announce_unreachable`, and `service_unavailable` when the registry is full.
 */
export async function announce(deps: AnnounceDeps, text: string): Promise<AnnouncedFacilitator> {
  const { db, fetchers, allowLoopback, ownBaseUrls, clock, onChanged } = deps
  const address = readBaseUrl(text, allowLoopback)
  if (!address.ok) throw invalidUrl(address.reason, text)
  const { baseUrl } = address
  const own = ownBaseUrls.map((url) => readBaseUrl(url, true))
  if (own.some((each) => each.ok && each.baseUrl === baseUrl)) throw ourselves(text)

  const answer = await askSupported(fetchers, { baseUrl, source: 'announced', clock })
  if (!answer.ok && answer.isUnsafe) throw invalidUrl(answer.reason, text)
  if (!answer.ok) throw new Fault('explorer_announce_unreachable', { reason: answer.reason })
  if (await areOwnSigners(db, answer.facts.named)) throw ourselves(text)

  const facilitator = await write(db, address, answer.facts)
  onChanged?.()
  return shown(facilitator)
}

async function write(
  db: Db,
  address: { readonly baseUrl: string; readonly host: string },
  facts: FacilitatorSays,
): Promise<Facilitator> {
  const full = () =>
    new Fault('service_unavailable', {
      reason: 'the registry has no place for a further facilitator; try again tomorrow',
    })
  const added = await addAnnounced(db, address, choosePlace)
  if (added === 'full') throw full()
  const { id } = added
  const displayName = displayNameOf(facts, address.baseUrl, 'announced')
  // Nothing of a configured one changes by a stranger's word: it was not asked as one that is trusted.
  const asked = { id, source: 'announced' } as const
  await saveFacilitator(db, asked, { ...facts, displayName }, POLL_EVERY_MS)
  const facilitator = await readFacilitator(db, id)
  // Another announcement took its place meanwhile.
  if (!facilitator) throw full()
  return facilitator
}

const ourselves = (text: string) => invalidUrl('The base URL is that of this service.', text)

/** @param value as the caller sent it */
export function invalidUrl(reason: string, value?: string): Fault {
  const shownValue = value === undefined ? {} : { value: printable(value.slice(0, MAX_SHOWN)) }
  const details = { parameter: 'baseUrl', ...shownValue }
  return new Fault('explorer_announce_invalid_url', { reason, details })
}

function shown(facilitator: Facilitator): AnnouncedFacilitator {
  const { id, baseUrl, displayName, lastSeenAt, lastError, createdAt, ...same } = facilitator
  return {
    facilitatorId: id,
    ...(displayName !== null && { displayName }),
    ...(baseUrl !== null && { baseUrl }),
    verified: same.verified,
    source: same.source,
    networks: [...same.networks],
    signers: [...same.signers],
    claimedSigners: [...same.claimedSigners],
    uptoContracts: [...same.uptoContracts],
    ...(lastSeenAt && { lastSeenAt: lastSeenAt.toISOString() }),
    ...(lastError !== null && { lastError }),
    createdAt: createdAt.toISOString(),
  }
}
