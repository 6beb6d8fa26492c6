import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Keypair, xdr } from '@stellar/stellar-sdk'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { startDomainClaims } from '../../../../src/catalog/domain/start-domain-claims.ts'
import { lockListing } from '../../../../src/catalog/store/listings.ts'
import { changeListing, type ListingChange } from '../../../../src/catalog/store/write-listing.ts'
import { passphrases } from '../../../../src/platform/core/caip2.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import { inTransaction } from '../../../../src/platform/database/in-transaction.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import {
  type GuardedFetcher,
  guardedFetcher,
} from '../../../../src/platform/http/guarded-fetch/guarded-fetch.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import { createMetrics } from '../../../../src/platform/telemetry/metrics/metrics.ts'
import { accountKey } from '../../../../src/stellar/accounts/account-entries.ts'
import { openEmptyStore } from '../../platform/database/open-stores.ts'
import {
  address,
  httpContent,
  network,
  readListing,
  seedListing,
  versionsOf,
} from '../seed-listings.ts'

const patience = { timeout: 120_000, interval: 20 }

/** Base64 `LedgerEntryData`. */
const accountEntry = (account: string, homeDomain: string): string =>
  xdr.LedgerEntryData.account(
    new xdr.AccountEntry({
      accountId: xdr.PublicKey.publicKeyTypeEd25519(Keypair.fromPublicKey(account).rawPublicKey()),
      balance: 1n,
      seqNum: 1n,
      numSubEntries: 0,
      inflationDest: null,
      flags: 0,
      homeDomain: new xdr.XdrString(homeDomain),
      thresholds: Uint8Array.from([1, 0, 0, 0]),
      signers: [],
      ext: xdr.AccountEntryExt.v0(),
    }),
  ).toXdr('base64')

describe('the domain of a listing', () => {
  let store: Store
  let fetcher: GuardedFetcher
  let host: Server
  let answer: { status: number; body: string }
  let requests = 0
  beforeAll(async () => {
    store = await openEmptyStore()
    fetcher = guardedFetcher({ allowLoopback: true })
    host = createServer((request, response) => {
      requests += 1
      const isFile = request.url === '/.well-known/stellar.toml'
      response.writeHead(isFile ? answer.status : 400).end(answer.body)
    })
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
  })
  afterAll(async () => {
    host.closeAllConnections()
    await new Promise((resolve) => host.close(resolve))
    await fetcher.close()
    await store.close()
  })
  beforeEach(() => {
    answer = { status: 404, body: '' }
    requests = 0
  })
  afterEach(async () => {
    await store.db.deleteFrom('listings').execute()
    await store.db.deleteFrom('domain_claims').execute()
  })

  /** The home domains that accounts have on the ledger. */
  const homeDomains = new Map<string, string>()
  const ledgerEntries = async (keys: readonly string[]) => ({
    latestLedger: 1,
    entries: [...homeDomains].flatMap(([account, homeDomain]) => {
      const key = accountKey(account)
      return keys.includes(key) ? [{ key, xdr: accountEntry(account, homeDomain) }] : []
    }),
  })
  const start = () =>
    startDomainClaims({
      store,
      fetcher,
      clock: systemClock,
      random: () => 0,
      rpcs: new Map([[network, { ledgerEntries }]]),
      log: createLogger({ level: 'silent' }),
      metrics: createMetrics(),
      everyMs: 20,
      urlOf: () =>
        new URL(
          `http://127.0.0.1:${(host.address() as AddressInfo).port}/.well-known/stellar.toml`,
        ),
    })
  const tomlOf = (...accounts: string[]) => ({
    status: 200,
    body: `NETWORK_PASSPHRASE="${passphrases[network]}"\nACCOUNTS=${JSON.stringify(accounts)}`,
  })
  const change = (id: string, to: ListingChange) =>
    inTransaction(store.db, async (transaction) => {
      const listing = await lockListing(transaction, id)
      if (listing) await changeListing(transaction, listing, to)
    })
  const published = async (owner: string, kind: 'http' | 'mcp' = 'http') => {
    const resource = `https://seller.example/${owner}`
    const tool = { kind, toolName: 'weather' } as const
    const { method: _, ...content } = httpContent(resource, owner)
    const listing = await seedListing(store, {
      owner,
      content: kind === 'mcp' ? { ...content, ...tool } : httpContent(resource, owner),
      state: kind === 'mcp' ? 'published' : 'pending',
    })
    if (kind === 'http') {
      const to = { state: 'published', trust: 'origin_verified', ownerAccount: owner } as const
      await change(listing.id, { ...to, cause: 'origin_verification' })
    }
    return listing.id
  }
  const claimOf = (owner: string) =>
    store.db.selectFrom('domain_claims').selectAll().where('owner', '=', owner).executeTakeFirst()
  const untilTrust = (id: string, trust: string) =>
    vi.waitFor(async () => expect(await readListing(store, id)).toMatchObject({ trust }), patience)
  const untilClaim = (owner: string, claims_owner: boolean | null) =>
    vi.waitFor(async () => expect(await claimOf(owner)).toMatchObject({ claims_owner }), patience)
  const makeDue = (values: object = {}) =>
    store.db
      .updateTable('domain_claims')
      .set({ due_at: new Date(0), ...values })
      .execute()
  const hoursUntil = (due: Date | undefined) => (Number(due) - Date.now()) / 3_600_000

  test('that claims its owner gives it the trust domain_verified, and is read again in 6 h', async () => {
    const owner = address()
    const id = await published(owner)
    answer = tomlOf(owner)
    await using _loop = start()
    await untilTrust(id, 'domain_verified')
    expect((await versionsOf(store, id)).at(-1)).toMatchObject({
      version: 3,
      cause: 'domain_verification',
      state: 'published',
      trust: 'domain_verified',
    })
    expect(Math.round(hoursUntil((await claimOf(owner))?.due_at))).toBe(6)
  })

  test('that stops claiming its owner takes the trust back', async () => {
    const owner = address()
    const id = await published(owner)
    answer = tomlOf(owner)
    await using _loop = start()
    await untilTrust(id, 'domain_verified')
    answer = tomlOf(address())
    await makeDue()
    await untilTrust(id, 'origin_verified')
    expect((await versionsOf(store, id)).map(({ cause }) => cause)).toEqual([
      'settlement',
      'origin_verification',
      'domain_verification',
      'domain_verification',
    ])
  })

  test('gives an MCP tool its only way above settled', async () => {
    const owner = address()
    const id = await published(owner, 'mcp')
    answer = tomlOf(owner)
    await using _loop = start()
    await untilTrust(id, 'domain_verified')
    answer = { status: 404, body: '' }
    await makeDue()
    await untilTrust(id, 'settled')
  })

  test('that does not answer keeps its last claim for 24 h, then loses it', async () => {
    const owner = address()
    const id = await published(owner)
    answer = tomlOf(owner)
    await using _loop = start()
    await untilTrust(id, 'domain_verified')
    answer = { status: 503, body: '' }
    await makeDue()
    await vi.waitFor(
      async () => expect(hoursUntil((await claimOf(owner))?.due_at)).toBeLessThan(1),
      patience,
    )
    await vi.waitFor(
      async () => expect(hoursUntil((await claimOf(owner))?.due_at)).toBeGreaterThan(0.2),
      patience,
    )
    expect(await readListing(store, id)).toMatchObject({ trust: 'domain_verified' })
    await makeDue({ checked_at: new Date(Date.now() - 25 * 3_600_000) })
    await untilTrust(id, 'origin_verified')
  })

  test('that never answered claims nothing, and its listing stays as it is', async () => {
    const owner = address()
    const id = await published(owner)
    answer = { status: 500, body: '' }
    await using _loop = start()
    await vi.waitFor(async () => expect(requests).toBeGreaterThan(0), patience)
    await untilClaim(owner, null)
    expect(await readListing(store, id)).toMatchObject({ trust: 'origin_verified', version: 2 })
  })

  test('is read once for all listings of its host', async () => {
    const owners = [address(), address(), address()]
    const ids = await Promise.all(owners.map((owner) => published(owner)))
    answer = tomlOf(...owners)
    await using _loop = start()
    for (const id of ids) await untilTrust(id, 'domain_verified')
    expect(requests).toBe(1)
  })

  test('claims a listing again that is published again', async () => {
    const owner = address()
    const id = await published(owner)
    answer = tomlOf(owner)
    await using _loop = start()
    await untilTrust(id, 'domain_verified')
    await change(id, { cause: 'quarantine', state: 'quarantined', ownerAccount: owner })
    const to = { state: 'published', trust: 'origin_verified', ownerAccount: owner } as const
    await change(id, { ...to, cause: 'origin_verification' })
    await untilTrust(id, 'domain_verified')
  })

  test('is read for a new owner, and the old claim is forgotten', async () => {
    const [owner, successor] = [address(), address()]
    const id = await published(owner)
    answer = tomlOf(owner)
    await using _loop = start()
    await untilTrust(id, 'domain_verified')
    await change(id, {
      cause: 'ownership_transfer',
      trust: 'origin_verified',
      owner: successor,
      ownerAccount: successor,
    })
    await untilClaim(successor, false)
    await makeDue()
    await vi.waitFor(async () => expect(await claimOf(owner)).toBeUndefined(), patience)
    expect(await readListing(store, id)).toMatchObject({ trust: 'origin_verified' })
  })

  test('of a pending listing is not read', async () => {
    const owner = address()
    await seedListing(store, { owner, content: httpContent('https://seller.example/p', owner) })
    const other = address()
    const id = await published(other)
    answer = tomlOf(owner, other)
    await using _loop = start()
    await untilTrust(id, 'domain_verified')
    expect(await claimOf(owner)).toBeUndefined()
  })

  test('is the own one of an account that names it on the ledger, or a subdomain of it', async () => {
    const [own, strangers] = [address(), address()]
    homeDomains.set(own, 'Seller.example').set(strangers, 'other.example')
    const ids = await Promise.all([own, strangers].map((owner) => published(owner)))
    answer = tomlOf(own, strangers)
    await using _loop = start()
    for (const id of ids) await untilTrust(id, 'domain_verified')
    expect(await claimOf(own)).toMatchObject({ is_named_by_owner: true })
    expect(await claimOf(strangers)).toMatchObject({ is_named_by_owner: false })
    // The trust stays, so only the revision tells the explorer.
    const before = await readListing(store, ids[1] as string)
    homeDomains.set(strangers, 'seller.example')
    await makeDue()
    await vi.waitFor(async () => {
      expect(await claimOf(strangers)).toMatchObject({ is_named_by_owner: true })
      expect((await readListing(store, before.id)).revision).toBeGreaterThan(before.revision)
    }, patience)
  })

  test('is read by one of several processes', async () => {
    const owner = address()
    const id = await published(owner)
    answer = tomlOf(owner)
    await using _one = start()
    await using _two = start()
    await using _three = start()
    await untilTrust(id, 'domain_verified')
    expect(requests).toBe(1)
    expect(await versionsOf(store, id)).toHaveLength(3)
  })
})
