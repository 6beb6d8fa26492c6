import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type LocalnetServer, startLocalnetServer } from '../../../../src/localnet/server/server.ts'
import { authoritySigners } from '../../../../src/payments/channels/authorities.ts'
import { provisionChannels } from '../../../../src/payments/channels/create/provision.ts'
import { planProvision } from '../../../../src/payments/channels/create/provision-plan.ts'
import { channelSigner } from '../../../../src/payments/channels/derive.ts'
import type { Progress } from '../../../../src/payments/channels/progress.ts'
import { retireChannels } from '../../../../src/payments/channels/retire/retire.ts'
import { planRetirement } from '../../../../src/payments/channels/retire/retire-plan.ts'
import { RetireRefusal } from '../../../../src/payments/channels/retire/retire-refusal.ts'
import { keysOfSeed, type OtherSponsor } from '../../../../src/payments/channels/sponsor-keys.ts'
import { claimWithChannel } from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { releaseClaim } from '../../../../src/payments/store/settlements/claim/release.ts'
import { listAuthorities } from '../../../../src/payments/store/upto/authorities.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import { type Clock, systemClock } from '../../../../src/platform/core/time/clock.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import { secretOfSeed, signerFromSeed } from '../../../../src/stellar/accounts/signer.ts'
import { rpcClient } from '../../../../src/stellar/rpc/rpc-client.ts'
import { transactionsAfter } from '../../../support/ledger-view.ts'
import { emptyTables, openEmptyStore } from '../../platform/database/open-stores.ts'
import { claimRequest, fence } from '../store/builders.ts'

const network = 'stellar:testnet'
const XLM = 10_000_000n
const inclusionFee = asStroops(100n)

let localnet: LocalnetServer
let store: Store
beforeAll(async () => {
  localnet = await startLocalnetServer({ closeEveryMs: 'manual' })
  store = await openEmptyStore()
})
afterAll(async () => {
  await store.close()
  await localnet.close()
})

/** Each sleep closes a ledger, so that no test waits for time to pass. */
const closingClock: Clock = {
  now: () => systemClock.now(),
  sleep: async (_, signal) => {
    signal?.throwIfAborted()
    await localnet.closeLedger()
  },
}

function newSponsor() {
  const seed = randomBytes(32)
  return { secret: secretOfSeed(seed), address: signerFromSeed(seed).address }
}

let sponsor: ReturnType<typeof newSponsor>
beforeEach(async () => {
  await emptyTables(store)
  sponsor = newSponsor()
})

const fund = (amount: bigint) => localnet.pay({ address: sponsor.address, asset: 'XLM', amount })

const options = (changes: { readonly previousSponsor?: OtherSponsor } = {}) =>
  ({
    network,
    keys: keysOfSeed(sponsor.secret),
    count: 2,
    servesUpto: true,
    besideService: true,
    inclusionFee,
    keepSpendable: asStroops(0n),
    rpc: rpcClient({ url: localnet.httpUrl, allowHttp: true }),
    store,
    clock: closingClock,
    log: createLogger({ level: 'silent' }),
    signal: AbortSignal.timeout(200_000),
    onProgress: () => undefined,
    ...changes,
  }) as const

const accounts = async (...addresses: readonly string[]) =>
  rpcClient({ url: localnet.httpUrl, allowHttp: true }).accounts(addresses)

const authorityOf = ({ secret }: { readonly secret: string }) =>
  authoritySigners(network, { keys: keysOfSeed(secret) })[0].address

/** How often each process has created something. */
const successes = (since: number) =>
  transactionsAfter(localnet.network, since).filter(({ successful }) => successful).length

test('the authority is created with the channels, has no balance, and locks one XLM of the sponsor', async () => {
  await fund(10n * XLM)
  expect(await planProvision(options())).toMatchObject({
    missing: 2,
    missingAuthorities: [authorityOf(sponsor)],
    locked: 3n * XLM,
  })
  const before = localnet.network.latest.sequence
  await Promise.all([1, 2, 3].map(() => provisionChannels(options())))
  expect(successes(before)).toBe(1)
  const found = await accounts(sponsor.address, authorityOf(sponsor))
  expect(found.get(authorityOf(sponsor))).toMatchObject({
    balance: 0n,
    subentries: 0,
    sponsored: 2,
  })
  expect(found.get(sponsor.address)).toMatchObject({ sponsoring: 6 })
  expect(await listAuthorities(store.db, network)).toEqual([
    { network, sponsor: sponsor.address, account: authorityOf(sponsor) },
  ])
  expect(await planProvision(options())).toMatchObject({ missing: 0, missingAuthorities: [] })
})

test('where the scheme is not served none is created, and a later service creates it alone', async () => {
  await fund(10n * XLM)
  await provisionChannels({ ...options(), servesUpto: false })
  expect((await accounts(authorityOf(sponsor))).size).toBe(0)
  await provisionChannels(options())
  expect((await accounts(authorityOf(sponsor))).size).toBe(1)
})

test('a sponsor that can pay for the channels alone creates neither, and hears what it lacks', async () => {
  await fund(30_100_000n)
  await expect(provisionChannels(options())).rejects.toThrow(
    /2 channels and 1 settlement authority cost 3\.1 XLM.*: send 1 XLM to /,
  )
  expect((await accounts(authorityOf(sponsor))).size).toBe(0)
})

test('retiring merges the authority last, and not while a payment is under way', async () => {
  await fund(10n * XLM)
  await provisionChannels(options())
  await claimWithChannel(store.db, claimRequest('1', { sponsor: sponsor.address }))
  await expect(retireChannels(options())).rejects.toThrow(RetireRefusal)
  await releaseClaim(store.db, fence('1'))
  expect(await planRetirement(options())).toMatchObject({
    channels: 2,
    authorities: [authorityOf(sponsor)],
    returned: 3n * XLM,
  })
  const reported: string[] = []
  const onProgress: Progress = ({ done, of }) => reported.push(`${done}/${of}`)
  const before = localnet.network.latest.sequence
  expect(await retireChannels({ ...options(), onProgress })).toBe(3)
  expect(reported).toEqual(['0/3', '2/3', '3/3'])
  expect(successes(before)).toBe(2)
  const channel = channelSigner(sponsor.secret, network, 0).address
  const found = await accounts(sponsor.address, authorityOf(sponsor), channel)
  expect([...found.keys()]).toEqual([sponsor.address])
  expect(found.get(sponsor.address)).toMatchObject({ sponsoring: 0 })
  // Merged with the channels by one that stopped in between, or by an earlier call: nothing is left to do.
  expect(await retireChannels(options())).toBe(0)
})

test("the previous sponsor's authority is created again at this sponsor's expense, and merged with its own", async () => {
  await fund(10n * XLM)
  const old = newSponsor()
  const both = options({ previousSponsor: keysOfSeed(old.secret) })
  await provisionChannels(both)
  const found = await accounts(sponsor.address, authorityOf(old))
  expect(found.get(authorityOf(old))).toMatchObject({ balance: 0n, sponsored: 2 })
  expect(found.get(sponsor.address)).toMatchObject({ sponsoring: 8 })
  expect(await listAuthorities(store.db, network)).toContainEqual({
    network,
    sponsor: old.address,
    account: authorityOf(old),
  })
  expect(await retireChannels(both)).toBe(4)
  expect((await accounts(sponsor.address)).get(sponsor.address)).toMatchObject({ sponsoring: 0 })
})
