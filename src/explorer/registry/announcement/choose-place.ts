/** Decides which announced facilitators have a place in the registry: the owner of one domain must not keep all others out. */
import { type HostHolder, holderOf } from '../../../platform/http/host-holder.ts'
import type { ChoosePlace, TakenPlace } from '../../store/registry/facilitators-add.ts'

/**
 * Each is asked every 5 minutes and names up to 64 signers, so these are 3.3 requests a second of all processes together,
 * and 64,000 rows. Configured facilitators need no place.
 */
const IN_TOTAL = 1_000
/** Places for one owner of a domain, or one customer of a provider that gives out subdomains. */
const OF_OWNER = 5

type Held = TakenPlace & HostHolder

/**
 * A new facilitator gets the place of one that was not seen for a day, when its owner or the registry has as many as may
 * be. When all of a full registry were seen, the domain that has most gives one up, if the domain of the new one has
 * fewer; so does the owner that has most of the same domain. One that is the only one of its domain keeps its place while
 * it answers, and subdomains that cost nothing win places from each other alone.
 */
export const choosePlace: ChoosePlace = (taken, host) => {
  const holder = holderOf(host)
  const all: readonly Held[] = taken.map((place) => ({ ...place, ...holderOf(place.host) }))
  const ofOwner = all.filter(({ owner }) => owner === holder.owner)
  if (ofOwner.length >= OF_OWNER) return replaces(ofOwner.find(({ isUnseen }) => isUnseen))
  if (all.length < IN_TOTAL) return 'free'
  return replaces(all.find(({ isUnseen }) => isUnseen) ?? spare(all, holder))
}

const replaces = (place: Held | undefined) => (place ? { replaces: place.id } : 'full')

/** The youngest that proves nothing, else the youngest, of those that have more than the new one would have. */
function spare(all: readonly Held[], { owner, domain }: HostHolder): Held | undefined {
  const ordered = all.toSorted((a, b) => Number(a.verified) - Number(b.verified))
  const byDomain = Map.groupBy(ordered, (place) => place.domain)
  const ofDomain = byDomain.get(domain) ?? []
  const largest = largestOf(byDomain)
  if (largest.length > ofDomain.length + 1) {
    return largestOf(Map.groupBy(largest, (place) => place.owner))[0]
  }
  const byOwner = Map.groupBy(ofDomain, (place) => place.owner)
  const mostOfOwner = largestOf(byOwner)
  return mostOfOwner.length > (byOwner.get(owner)?.length ?? 0) + 1 ? mostOfOwner[0] : undefined
}

const largestOf = (groups: ReadonlyMap<string, readonly Held[]>): readonly Held[] =>
  [...groups.values()].reduce((most, each) => (each.length > most.length ? each : most), [])
