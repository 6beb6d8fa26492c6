/** Settlements of parts of a ceiling, of all and of nothing of it, through the facilitator, the explorer and the catalog. */
import { randomBytes } from 'node:crypto'
import { createEd25519Signer } from '@x402/stellar'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { signAuthorization } from '../../../src/buying/upto/sign-authorization.ts'
import { startIntake } from '../../../src/catalog/intake/start-intake.ts'
import type { PaymentOption } from '../../../src/catalog/listing.ts'
import { startOriginChecks } from '../../../src/catalog/origin/start-origin-checks.ts'
import { startIngest } from '../../../src/explorer/ingest/start-ingest.ts'
import { openReads } from '../../../src/explorer/open-reads.ts'
import type { PaymentRecord } from '../../../src/explorer/records.ts'
import {
  addOwnFacilitator,
  claimOwnSigners,
} from '../../../src/explorer/store/registry/signers-own.ts'
import { uptoContract } from '../../../src/localnet/genesis/upto-contract.ts'
import { passphrases } from '../../../src/platform/core/caip2.ts'
import { systemClock } from '../../../src/platform/core/time/clock.ts'
import { guardedFetcher } from '../../../src/platform/http/guarded-fetch/guarded-fetch.ts'
import { createLogger } from '../../../src/platform/telemetry/logs/logger.ts'
import { rpcPool } from '../../../src/stellar/rpc/pool/rpc-pool.ts'
import { rpcClients } from '../../../src/stellar/rpc/rpc-client.ts'
import { patientValidator } from '../../support/catalog/declarations.ts'
import { startPagesServer } from '../../support/explorer/pages-server.ts'
import { asks, type Origin, openOrigin, requiredBy } from '../catalog/origin/origin-world.ts'
import { bazaarOf, optionTo } from '../catalog/seed-listings.ts'
import { openWorld, type World } from '../payments/world.ts'

const network = 'stellar:testnet'
const passphrase = passphrases[network]
const patience = { timeout: 120_000, interval: 20 }
const log = createLogger({ level: 'silent' })
const CEILING = 500_000n

describe('a metered resource', () => {
  const opened = new AsyncDisposableStack()
  let world: World
  let origin: Origin
  let metered: PaymentOption
  let pages: Awaited<ReturnType<typeof startPagesServer>>
  let reads: ReturnType<typeof openReads>

  beforeAll(async () => {
    world = opened.use(await openWorld({ upto: true, catalog: () => silentCatalog }))
    const { stack, seller } = world
    origin = opened.use(await openOrigin(asks({})))
    metered = await offerOf(world)
    const accepts = [optionTo(seller.address), metered]
    origin.answer = asks(requiredBy(resource(), seller.address, { accepts }))
    await addOwnFacilitator(stack.store.db)
    await claimOwnSigners(stack.store.db)
    openExplorer()
    openCatalog()
    pages = opened.use(await startPagesServer({ db: stack.store.db }))
    const { db } = stack.store
    reads = openReads({ db, clock: systemClock, networks: [network], watchedAssets: {} })
  })
  afterAll(() => opened.disposeAsync())

  const resource = () => `${origin.url}/answers`

  function openExplorer() {
    const { store, metrics, localnet } = world.stack
    const endpoints = rpcClients([localnet.httpUrl], { allowHttp: true })
    const clock = systemClock
    const rpc = rpcPool({ endpoints, passphrase, clock, log, random: Math.random })
    opened.use(
      startIngest({
        ...{ db: store.db, clock, random: Math.random, log, metrics, holder: 'test' },
        networks: [
          {
            ...{ id: network, passphrase, rpc, watchedAssets: 'all' },
            uptoContracts: [uptoContract(passphrase)],
          },
        ],
      }),
    )
  }

  function openCatalog() {
    const { store, metrics } = world.stack
    const common = { store, clock: systemClock, random: Math.random, log, metrics, everyMs: 20 }
    const validator = opened.use(patientValidator({ allowLoopback: true }))
    const fetcher = guardedFetcher({ allowLoopback: true })
    opened.defer(() => fetcher.close())
    const checks = opened.use(startOriginChecks({ ...common, fetcher, validator }))
    opened.use(
      startIntake({
        ...{ ...common, validator, writer: 'test', onListed: () => checks.wake() },
        quotas: { perOwner: 10, perPayer: 10, inTotal: 10 },
        isOwnAccount: () => false,
      }),
    )
  }

  /** Signed by the payer for the ceiling, with what is declared of the resource. */
  async function signed(): Promise<object> {
    const { payer, seller, stack } = world
    const { uptoContract: contract, authority } = metered.extra as Record<string, string>
    const payload = await signAuthorization(createEd25519Signer(payer.key.secret(), network), {
      offer: {
        ...{ network, asset: metered.asset, payTo: seller.address, ceiling: CEILING },
        ...{ maxTimeoutSeconds: 60, contract: contract ?? '', authority: authority ?? '' },
      },
      expirationLedger: stack.localnet.network.latest.sequence + 10,
      nonce: randomBytes(32),
      entryNonce: randomBytes(8).readBigInt64BE(),
    })
    return {
      ...{ x402Version: 2, accepted: metered, payload },
      resource: { url: resource(), description: 'Weather', mimeType: 'application/json' },
      extensions: { bazaar: bazaarOf('GET') },
    }
  }

  /** Returns the hash. */
  async function settle(actual: bigint): Promise<string> {
    const { body } = await world.stack.post('/settle', {
      x402Version: 2,
      paymentPayload: await signed(),
      paymentRequirements: { ...metered, amount: String(actual) },
    })
    expect(body).toMatchObject({ success: true, amount: String(actual) })
    return body.transaction
  }

  const observed = (hash: string): Promise<PaymentRecord> =>
    vi.waitFor(async () => {
      const payment = await reads.payment(hash)
      if (!payment) throw new Error('the explorer has not read it')
      return payment
    }, patience)

  test.each([
    { used: 'a part', actual: 120_000n, decimal: '0.012' },
    { used: 'all', actual: CEILING, decimal: '0.05' },
    { used: 'nothing', actual: 0n, decimal: '0' },
  ])(
    'of which $used was used is shown with its ceiling, and listed at it',
    async ({ actual, decimal }) => {
      const { payer, seller, sponsor, stack } = world
      const before = (await listing())?.settlements ?? 0n
      const hash = await settle(actual)
      const payment = await observed(hash)
      expect(payment).toMatchObject({
        ...{ scheme: 'upto', buyer: payer.address, seller: seller.address },
        ...{ amount: String(actual), amountDecimal: decimal, assetCode: 'USDC' },
        ...{ ceiling: String(CEILING), ceilingDecimal: '0.05' },
        ...{ confidence: 'svc', feeSource: sponsor },
      })
      const channels = stack.facilitator.networks.get(network)?.channels.addresses
      expect(channels).toContain(payment.txSource)
      const page = await (await fetch(`${pages.baseUrl}/ui/payments/${hash}`)).text()
      expect(page).toContain(` paid <bdi class="num">${decimal} of at most 0.05 USDC</bdi> to `)
      const listed = await untilListed(before + 1n)
      expect(listed.content).toMatchObject({ accepts: [optionTo(seller.address), metered] })
      expect(listed).toMatchObject({ trust: 'origin_verified', version: 2 })
      expect(await claims()).toEqual([])
    },
  )

  test('and its other price stay, whichever is paid', async () => {
    const before = (await listing())?.settlements ?? 0n
    const { extensions, resource: declared } = (await signed()) as Record<string, unknown>
    const payment = await world.pay()
    Object.assign(payment.paymentPayload, { extensions, resource: declared })
    expect((await world.stack.post('/settle', payment)).body).toMatchObject({ success: true })
    const listed = await untilListed(before + 1n)
    expect(listed).toMatchObject({
      version: 2,
      content: { accepts: [{ scheme: 'exact' }, metered] },
    })
  })

  /** What payments declared that their resource has not confirmed. */
  const claims = () => world.stack.store.db.selectFrom('listing_claims').selectAll().execute()

  const listing = () => world.stack.store.db.selectFrom('listings').selectAll().executeTakeFirst()

  const untilListed = (settlements: bigint) =>
    vi.waitFor(async () => {
      const listed = await listing()
      expect(listed).toMatchObject({ state: 'published', settlements })
      if (!listed) throw new Error('not listed')
      return listed
    }, patience)
})

/** The declaration is stored with the payment; what the answer says of it is another test's. */
const silentCatalog = {
  preview: async () => undefined,
  settled: async () => undefined,
}

/** As the facilitator offers the scheme, at the ceiling. */
async function offerOf({ stack, seller }: World): Promise<PaymentOption> {
  const { body } = await stack.get('/supported')
  const kind = body.kinds.find(({ scheme }: { scheme: string }) => scheme === 'upto')
  const option = { ...optionTo(seller.address), amount: String(CEILING) }
  return { ...option, scheme: 'upto', extra: kind.extra }
}
