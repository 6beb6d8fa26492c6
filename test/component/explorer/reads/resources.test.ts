import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PaymentRow } from '../../../../src/explorer/store/ingest/write-ledgers.ts'
import { registerOwnListings } from '../../../../src/explorer/store/registry/registrations-own.ts'
import type { NetworkId } from '../../../../src/platform/core/caip2.ts'
import type { Db } from '../../../../src/platform/database/schema.ts'
import {
  accounts,
  content,
  type ListingToPut,
  option,
  putListing,
} from '../../../support/catalog-listing.ts'
import { putOutcome } from '../../../support/catalog-outcomes.ts'
import { paymentRow } from '../../../support/explorer/payment-rows.ts'
import { type ExplorerWorld, fillPayments, NOW, openWorld, registerSeller } from './world.ts'

/* What the explorer says was bought: only what a settlement of this service was recorded for. */

const { first: seller, second: other, muxedOnFirst } = accounts
const elsewhere = 'GABQIDIQAGBQIDIQAGBQIDIQAGBQIDIQAGBQIDIQAGBQIDIQAGBQIDIQ'
const paid = (name: string, changes: Partial<PaymentRow> = {}) =>
  paymentRow(name, { seller, closedAt: NOW / 1_000 - 60, ...changes })

const payments = {
  story: paid('story'),
  joke: paid('joke'),
  toMuxed: paid('muxed', { muxedId: 1n }),
  undeclared: paid('undeclared'),
  refused: paid('refused'),
  tool: paid('tool'),
  withdrawn: paid('withdrawn'),
  ofAnother: paid('of another'),
  single: paid('single', { seller: other }),
  elsewhere: paid('elsewhere', { seller: elsewhere }),
  nobody: paid('nobody', { seller: 'GNOBODY' }),
}

const story = 'https://shop.example/stories/:id'
const joke = 'https://shop.example/joke'
const single = 'https://single.example/api'

const sells = (
  db: Db,
  resource: string,
  {
    payTo = seller,
    serviceName,
    ...listing
  }: Partial<ListingToPut> & { payTo?: string; serviceName?: string },
) =>
  putListing(db, {
    content: content(resource, {
      accepts: [option({ payTo })],
      ...(serviceName !== undefined && { serviceName }),
    }),
    ...listing,
  })

let world: ExplorerWorld
let ids: Readonly<Record<'story' | 'joke' | 'withdrawn' | 'ofAnother' | 'tool', string>>
beforeAll(async () => {
  world = await openWorld(async (store) => {
    const { db } = store
    await fillPayments(store, { 'stellar:testnet': Object.values(payments), 'stellar:pubnet': [] })
    const at = (minutes: number) => ({ firstPublishedAt: new Date(NOW - minutes * 60_000) })
    ids = {
      story: await sells(db, story, { serviceName: 'Stories', ...at(20) }),
      // The newest of the seller.
      joke: await sells(db, joke, { serviceName: 'Jokes', ...at(10) }),
      withdrawn: await sells(db, 'https://shop.example/gone', { state: 'quarantined' }),
      ofAnother: await sells(db, single, { payTo: other, serviceName: 'Single 100%' }),
      tool: await putListing(db, {
        content: content('mcp://shop.example/tool', { kind: 'mcp', accepts: [option()] }),
      }),
    }
    const recorded: [PaymentRow, string, string?][] = [
      [payments.story, ids.story],
      [payments.joke, ids.joke],
      [payments.toMuxed, ids.story, muxedOnFirst],
      [payments.tool, ids.tool],
      [payments.withdrawn, ids.withdrawn],
      [payments.ofAnother, ids.ofAnother],
    ]
    for (const [{ txHash: transaction }, listingId, payTo = seller] of recorded)
      await putOutcome(db, { transaction, listingId, payTo })
    await putOutcome(db, {
      ...{ transaction: payments.refused.txHash, listingId: ids.joke, payTo: seller },
      status: 'rejected',
    })
    await registerOwnListings(db, 0n)
    await registerSeller(store, 'stellar:testnet', { address: elsewhere, name: 'Elsewhere' })
  })
})
afterAll(() => world[Symbol.asyncDispose]())

const shown = async (name: keyof typeof payments) => {
  const { body } = await world.get(`/tx/${payments[name].txHash}`)
  const { serviceName, resource, resourceCandidates } = body
  return { serviceName, resource, resourceCandidates }
}

describe('the resource of a payment', () => {
  test.each([
    ['story', story, 'Stories'],
    ['joke', joke, 'Jokes'],
    ['toMuxed', story, 'Stories'],
  ] as const)(
    'is the listing for which the settlement was recorded: %s',
    async (name, resource, serviceName) => {
      expect(await shown(name)).toEqual({ resource, serviceName, resourceCandidates: undefined })
    },
  )

  test.each(['undeclared', 'refused', 'tool', 'withdrawn', 'ofAnother'] as const)(
    'is not known without such a record, and then nor is the name: %s',
    async (name) => {
      expect(await shown(name)).toEqual({ resourceCandidates: [story, joke] })
    },
  )

  test('has one candidate of a seller with one, and its name', async () => {
    expect(await shown('single')).toEqual({
      serviceName: 'Single 100%',
      resourceCandidates: [single],
    })
  })

  test('has for candidate what the catalog of another facilitator lists', async () => {
    expect(await shown('elsewhere')).toEqual({
      serviceName: 'Elsewhere',
      resourceCandidates: ['https://Elsewhere.example/api'],
    })
  })

  test('is unknown of a seller that no catalog names', async () => {
    expect(await shown('nobody')).toEqual({})
  })

  test('is the same in the feed, of any filter, and in the live updates', async () => {
    const wanted = new Map<string, object>()
    for (const name of Object.keys(payments) as (keyof typeof payments)[])
      wanted.set(payments[name].txHash, await shown(name))
    const marks = { 'stellar:testnet': NOW / 1_000 - 3_600 }
    const pages = [
      (await world.reads.feed({}, { limit: 100 })).items,
      (await world.reads.feed({ network: 'stellar:testnet' }, { limit: 100 })).items,
      (await world.reads.newPayments(marks, 100)).items,
    ]
    for (const items of pages) {
      const found = items.map(({ txHash, serviceName, resource, resourceCandidates }) => [
        txHash,
        { serviceName, resource, resourceCandidates },
      ])
      expect(new Map(found as [string, object][])).toEqual(wanted)
    }
  })
})

describe('the listing of a payment', () => {
  const listingOf = (name: keyof typeof payments, network: NetworkId = 'stellar:testnet') =>
    world.reads.listingOf({ network, txHash: payments[name].txHash })

  test.each(['story', 'joke', 'tool', 'withdrawn', 'ofAnother'] as const)(
    'is the one for which its settlement was recorded, whatever is shown of it: %s',
    async (name) => {
      expect(await listingOf(name)).toBe(ids[name])
    },
  )

  test('is none where the declaration was refused, nor on another network', async () => {
    expect(await listingOf('refused')).toBeUndefined()
    expect(await listingOf('joke', 'stellar:pubnet')).toBeUndefined()
  })

  test('has the payment among its own, and none whose declaration was refused', async () => {
    const paidFor = async (id: string) =>
      new Set((await world.reads.listingPayments(id, 10)).map(({ txHash }) => txHash))
    expect(await paidFor(ids.joke)).toEqual(new Set([payments.joke.txHash]))
    const bought = [payments.story.txHash, payments.toMuxed.txHash]
    expect(await paidFor(ids.story)).toEqual(new Set(bought))
  })
})

describe('a seller of several resources', () => {
  test('lists them all, and no tool, nor what is not published', async () => {
    const { body } = await world.get(`/seller/${seller}`)
    expect(body.resources).toEqual([
      { network: 'stellar:testnet', method: 'GET', resource: story, serviceName: 'Stories' },
      { network: 'stellar:testnet', method: 'GET', resource: joke, serviceName: 'Jokes' },
    ])
  })

  test('says in the directory that its name is one of several', async () => {
    const { body } = await world.get('/sellers')
    const counts = body.items.map((each: { payTo: string; resourceCount?: number }) => [
      each.payTo,
      each.resourceCount,
    ])
    expect(Object.fromEntries(counts)).toMatchObject({ [seller]: 2, [other]: 1 })
    expect(Object.fromEntries(counts)[elsewhere]).toBeUndefined()
  })

  test.each([
    ['stories', [seller]],
    ['JOKE', [seller]],
    ['100%', [other]],
    ['_', []],
    ['elsewhere', [elsewhere]],
    ['', [seller, other, elsewhere]],
  ])('is found by any name: %s', async (text, payTos) => {
    const found = await world.reads.findSellers(text, { limit: 10 })
    expect(new Set(found.map(({ payTo }) => payTo))).toEqual(new Set(payTos))
    expect(found).toHaveLength(payTos.length)
    expect(await world.reads.findSellers(text, { limit: 10, network: 'stellar:pubnet' })).toEqual(
      [],
    )
  })
})
