/** A store, the checks of origins, and origins on this machine. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, vi } from 'vitest'
import type { ListingContent } from '../../../../src/catalog/listing.ts'
import {
  type OriginChecksOptions,
  startOriginChecks,
} from '../../../../src/catalog/origin/start-origin-checks.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { guardedFetcher } from '../../../../src/platform/http/guarded-fetch/guarded-fetch.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import { createMetrics } from '../../../../src/platform/telemetry/metrics/metrics.ts'
import { patientValidator } from '../../../support/catalog/declarations.ts'
import { openEmptyStore } from '../../platform/database/open-stores.ts'
import {
  address,
  anyHash,
  bazaarOf,
  httpContent,
  optionTo,
  readListing,
  type SeededListing,
  seedListing,
} from '../seed-listings.ts'

export const patience = { timeout: 120_000, interval: 20 }

export interface Origin extends AsyncDisposable {
  readonly url: string
  readonly seen: readonly Seen[]
  answer: RequestListener
}

interface Seen extends Pick<IncomingMessage, 'method' | 'url' | 'headers'> {
  readonly body: string
}

/** A server that answers what a test sets. */
export async function openOrigin(answer: RequestListener): Promise<Origin> {
  const seen: Seen[] = []
  const origin = { answer }
  const server: Server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    const { method, url, headers } = request
    seen.push({ method, url, headers, body })
    origin.answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return Object.assign(origin, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}

/** A 402 response of x402 version 2, with members changed. */
export const requiredBy = (resource: string, payTo: string, changes: object = {}) => ({
  x402Version: 2,
  error: 'Payment required',
  resource: { url: resource, description: 'Weather', mimeType: 'application/json' },
  accepts: [optionTo(payTo)],
  extensions: { bazaar: bazaarOf('GET') },
  ...changes,
})

export const asks =
  (required: object): RequestListener =>
  (_, response) => {
    const header = Buffer.from(JSON.stringify(required)).toString('base64')
    response.writeHead(402, { 'payment-required': header }).end('{}')
  }

export const answers =
  (status: number, headers: Record<string, string> = {}, body = ''): RequestListener =>
  (_, response) => {
    response.writeHead(status, headers).end(body)
  }

export async function openWorld() {
  const store = await openEmptyStore()
  const fetcher = guardedFetcher({ allowLoopback: true })
  const validator = patientValidator({ allowLoopback: true })
  const logger = createLogger({ level: 'silent' })
  const start = (changes: Partial<OriginChecksOptions> = {}) =>
    startOriginChecks({
      store,
      clock: systemClock,
      random: () => 0,
      log: logger,
      metrics: createMetrics(),
      fetcher,
      validator,
      everyMs: 20,
      ...changes,
    })
  return {
    store,
    fetcher,
    validator,
    start,
    seed: (listing: SeededListing) => seedListing(store, listing),
    read: (id: string) => readListing(store, id),
    [Symbol.asyncDispose]: async () => {
      await validator[Symbol.asyncDispose]()
      await fetcher.close()
      await store.close()
    },
  }
}

export type World = Awaited<ReturnType<typeof openWorld>>

/** A payment for a listing that its origin has not confirmed, as intake stores it; it declares what is listed. */
export async function claim(
  { db }: Pick<Store, 'db'>,
  id: string,
  payTo: string,
  declared?: ListingContent,
): Promise<string> {
  const transaction = anyHash()
  const content = declared ?? httpContent((await readListing({ db }, id)).resource, payTo)
  await db
    .insertInto('listing_claims')
    .values({
      listing_id: id,
      payer: address(),
      pay_to: payTo,
      transaction,
      settled_at: new Date(),
      content: JSON.stringify(content),
    })
    .execute()
  await makeDue({ db }, id)
  return transaction
}

const noOutcome = JSON.stringify({ phase: 'settle', code: 'recorded' })

/**
 * Has the listing checked, as its next try unless `check_retry_at` is later, and forgets the outcome of its last check, so that the
 * next wait sees that of the next check.
 */
export const makeDue = (
  { db }: Pick<Store, 'db'>,
  id: string,
  values: { check_tries?: number; check_retry_at?: Date } = {},
) =>
  db
    .updateTable('listings')
    .set({
      check_due_at: new Date(0),
      check_retry_at: new Date(0),
      check_owner: null,
      check_lease_until: null,
      last_outcome: noOutcome,
      ...values,
    })
    .where('id', '=', id)
    .execute()

/** Waits for the end of a check with this outcome. */
export const untilOutcome = (world: World, id: string, code: string) =>
  vi.waitFor(async () => {
    const listing = await world.read(id)
    expect(listing.last_outcome).toMatchObject({ phase: 'origin', code })
    expect(listing.check_lease_until).toBeNull()
    return listing
  }, patience)

export const msUntil = (due: Date | null): number => Number(due) - Date.now()
