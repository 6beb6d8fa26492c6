import { readDeclaration } from '../../../src/catalog/declaration/read-declaration.ts'
import { itemKeyOf } from '../../../src/catalog/items/item-key.ts'
import {
  describing,
  type ListedItem,
  type ListedListing,
} from '../../../src/catalog/items/listed-item.ts'
import { listedListing } from '../../../src/catalog/items/listed-listing.ts'
import type { DeclarationValidator } from '../../../src/catalog/validation/declaration-validator.ts'
import type { NetworkId } from '../../../src/platform/core/caip2.ts'
import { declarationOfSeed, factsOf, optionsOf } from './declaration.ts'
import type { Seed } from './seed.ts'

/** Compiling 700 schemas takes as long as the evaluation; a test of its own does it once. */
const UNCHECKED: DeclarationValidator = {
  allowLoopback: false,
  validate: async () => ({ ok: true }),
}

/** The items of a catalog, and the one that each seed became: a resource that two payees sell on two networks is one item. */
export type DeclaredItems = Readonly<{
  items: readonly ListedItem[]
  itemOfSeed: ReadonlyMap<string, ListedItem>
}>

/** Reads the declaration of each seed as the catalog reads a payment, and lists it as the catalog does. Throws when one is rejected. */
export async function declaredItems(
  seeds: readonly Seed[],
  validator: DeclarationValidator = UNCHECKED,
): Promise<DeclaredItems> {
  const byKey = new Map<string, { seeds: string[]; listings: ListedListing[] }>()
  for (const [at, seed] of seeds.entries())
    for (const [network, accepts] of Map.groupBy(optionsOf(seed), (option) => option.network)) {
      const { key, listing } = await listed(seed, network, accepts, at, validator)
      const item = byKey.get(key) ?? { seeds: [], listings: [] }
      byKey.set(key, item)
      item.seeds.push(seed.id)
      item.listings.push(listing)
    }
  const items: ListedItem[] = []
  const itemOfSeed = new Map<string, ListedItem>()
  for (const { seeds: ids, listings } of byKey.values()) {
    const { kind, firstPublishedUs } = listings[0] as ListedListing
    const key = ids[0] as string
    const item = { key, kind, firstPublishedUs, listings, text: describing(listings).text }
    items.push(item)
    for (const id of ids) itemOfSeed.set(id, item)
  }
  return { items, itemOfSeed }
}

async function listed(
  seed: Seed,
  network: NetworkId,
  accepts: ReturnType<typeof optionsOf>,
  at: number,
  validator: DeclarationValidator,
): Promise<{ key: string; listing: ListedListing }> {
  const payTo = accepts[0]?.payTo ?? ''
  const read = await readDeclaration(
    declarationOfSeed(seed, accepts),
    { network, payTo },
    validator,
  )
  if (!read.ok) throw new Error(`${seed.id}: ${read.code}: ${read.reason}`)
  const { content } = read
  const itemKey = itemKeyOf(content)
  const listing = listedListing(
    {
      id: `${seed.id} ${network}`,
      itemKey,
      network,
      kind: content.kind,
      host: URL.parse(content.resource)?.hostname ?? '',
      trust: 'settled',
      firstPublishedUs: at,
      itemFirstPublishedUs: at,
      extensions: content.extensions,
      content,
    },
    factsOf,
  )
  if (listing === undefined) throw new Error(`${seed.id} is not listed`)
  return { key: itemKey, listing }
}
