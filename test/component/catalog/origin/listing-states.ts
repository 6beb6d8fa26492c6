/** Listings of an origin, in each state. */
import { address, httpContent } from '../seed-listings.ts'
import { answers, asks, type Origin, requiredBy, untilOutcome, type World } from './origin-world.ts'

export async function pendingAt(world: World, origin: Origin, owner = address()) {
  const resource = `${origin.url}/weather`
  const content = httpContent(resource, owner)
  const { id } = await world.seed({ owner, content })
  return { id, owner, resource }
}

/** After its first check. */
export async function publishedAt(world: World, origin: Origin) {
  const listing = await pendingAt(world, origin)
  origin.answer = asks(requiredBy(listing.resource, listing.owner))
  await using _checks = world.start()
  await untilOutcome(world, listing.id, 'origin_verified')
  return listing
}

/** After a check that its origin failed. */
export async function quarantinedAt(world: World, origin: Origin) {
  const listing = await pendingAt(world, origin)
  origin.answer = answers(200)
  await using _checks = world.start()
  await untilOutcome(world, listing.id, 'origin_not_payment_required')
  return listing
}
