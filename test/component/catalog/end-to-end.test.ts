import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { HTTPFacilitatorClient } from '@x402/core/server'
import { paymentMiddleware, x402ResourceServer } from '@x402/express'
import { bazaarResourceServerExtension, declareDiscoveryExtension } from '@x402/extensions/bazaar'
import { wrapFetchWithPayment } from '@x402/fetch'
import { ExactStellarScheme } from '@x402/stellar/exact/server'
import express from 'express'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { LocalnetServer } from '../../../src/localnet/server/server.ts'
import { openStore } from '../../../src/platform/database/open.ts'
import { secretOfSeed, signerFromSeed } from '../../../src/stellar/accounts/signer.ts'
import { freshDatabase } from '../../support/postgres.ts'
import { svcProgram } from '../../support/programs/program-path.ts'
import { startPromptLocalnet } from '../../support/prompt-localnet.ts'
import { unit } from '../../support/stack.ts'
import { accountWithUsdc, reach, stockClient } from '../../support/stock/stock-client.ts'

/* Stock server, stock client, real ledger, real Postgres, and svc as its own processes. */

const opened: AsyncDisposable[] = []
afterEach(async () => {
  vi.unstubAllGlobals()
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]()
})
const use = <T extends AsyncDisposable>(each: T): T => {
  opened.push(each)
  return each
}

const jsonOf = async (url: string) => (await fetch(url)).json()
const eventually = (check: () => Promise<void>) =>
  vi.waitFor(check, { timeout: 240_000, interval: 100 })

interface Process extends AsyncDisposable {
  readonly url: string
  readonly child: ChildProcess
  /** With SIGKILL: nothing of it runs any more when this resolves. */
  kill(): Promise<void>
}

async function svc(command: string, env: Readonly<Record<string, string>>): Promise<Process> {
  const child = spawn(process.execPath, [svcProgram(), command], {
    env: {
      HOST: '127.0.0.1',
      PORT: '0',
      ADMIN_PORT: '0',
      EXPLORER_ENABLED: 'false',
      DISCOVERY_ALLOW_LOOPBACK: 'true',
      RATE_LIMIT_PER_MINUTE: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  const running = use({ url: '', child, kill, [Symbol.asyncDispose]: kill })
  for await (const line of createInterface(child.stdout)) {
    const { url } = JSON.parse(line)
    if (url === undefined) continue
    child.stdout.resume()
    return { ...running, url }
  }
  throw new Error(`svc ${command} ended before it listened`)
}

async function world() {
  const localnet = await startPromptLocalnet({ tls: true })
  use({ [Symbol.asyncDispose]: () => localnet.close() })
  reach(localnet)
  const database = use(await freshDatabase())
  const seed = randomBytes(32)
  const sponsor = signerFromSeed(seed).address
  await localnet.pay({ address: sponsor, asset: 'XLM', amount: 1_000n * unit })
  const ofCatalog = { DATABASE_URL: database.url, TESTNET_RPC_URL: localnet.httpUrl }
  const ofPayments = {
    ...ofCatalog,
    TESTNET_SPONSOR_SECRET: secretOfSeed(seed),
    TESTNET_CHANNEL_COUNT: '2',
    TESTNET_AUTO_PROVISION_CHANNELS: 'true',
  }
  return { localnet, database, ofCatalog, ofPayments }
}

/** A stock server that sells the weather and declares it; `paths` are of one price and of two resources. */
async function stockSeller(facilitatorUrl: string, payTo: string) {
  const network = 'stellar:testnet' as const
  const facilitator = new HTTPFacilitatorClient({ url: facilitatorUrl })
  const resources = new x402ResourceServer(facilitator)
    .register(network, new ExactStellarScheme())
    .registerExtension(bazaarResourceServerExtension)
  const sells = (description: string) => ({
    accepts: { scheme: 'exact', network, price: '$0.01', payTo, maxTimeoutSeconds: 120 },
    description,
    mimeType: 'application/json',
    extensions: declareDiscoveryExtension({
      input: { city: 'Lima' },
      inputSchema: { properties: { city: { type: 'string', description: 'Name of a city' } } },
    }),
  })
  const app = express()
  app.use(
    paymentMiddleware(
      {
        'GET /weather': sells('Weather forecast of a city for the next days'),
        'GET /tides': sells('Heights of the tides in a harbour'),
      },
      resources,
    ),
  )
  app.get(['/weather', '/tides'], (_request, response) => {
    response.json({ sunny: true })
  })
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  use({
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

interface Told {
  [path: `/${string}`]: Readonly<Record<string, unknown>>
  /** Sends the last settlement again: it is answered with what has become of it since. */
  settleAgain?: () => Promise<unknown>
}

/** What the facilitator told the stock server in `EXTENSION-RESPONSES`, by path. */
function watchAnswers() {
  const told: Told = {}
  const real = globalThis.fetch
  vi.stubGlobal('fetch', async (...args: Parameters<typeof fetch>) => {
    const response = await real(...args)
    const header = response.headers.get('extension-responses')
    if (header === null) return response
    const { bazaar } = JSON.parse(Buffer.from(header, 'base64').toString())
    const pathname = new URL(response.url).pathname as `/${string}`
    told[pathname] = bazaar
    if (pathname === '/settle') told.settleAgain = () => globalThis.fetch(...args)
    return response
  })
  return told
}

const pay = async (localnet: LocalnetServer, url: string) => {
  const buyer = await accountWithUsdc(localnet)
  const answer = await wrapFetchWithPayment(fetch, stockClient(localnet, buyer))(url)
  expect(answer.status).toBe(200)
}

/**
 * Pays until the facilitator tells this of the settlement. A busy machine may answer before the declaration is
 * recorded, and refuse one whose schema it could not validate in time.
 */
async function payUntilTold(localnet: LocalnetServer, url: string, told: Told, outcome: object) {
  await pay(localnet, url)
  await eventually(async () => {
    if (told['/settle']?.['status'] === 'rejected') await pay(localnet, url)
    else await told.settleAgain?.()
    expect(told['/settle']).toMatchObject(outcome)
  })
}

const searchFor = (url: string, words: string) =>
  jsonOf(`${url}/discovery/search?query=${encodeURIComponent(words)}`)

describe('a resource that was paid for', () => {
  test('is previewed, recorded, checked at its origin, listed and found, by svc serve alone', {
    timeout: 240_000,
  }, async () => {
    const { localnet, ofPayments } = await world()
    const service = await svc('serve', ofPayments)
    const payTo = await accountWithUsdc(localnet)
    const told = watchAnswers()
    const seller = await stockSeller(service.url, payTo.address)

    await payUntilTold(localnet, `${seller}/weather`, told, {
      status: 'processing',
      code: 'awaiting_origin_verification',
      listingId: expect.any(String),
      version: 1,
    })
    const id = told['/settle']?.['listingId']
    // On a busy machine a preview takes longer than a verification waits for it.
    await eventually(async () => {
      if (told['/verify']?.['status'] !== 'processing') await pay(localnet, `${seller}/weather`)
      expect(told['/verify']).toMatchObject({ status: 'processing', code: 'awaiting_settlement' })
    })
    await eventually(async () =>
      expect(await searchFor(service.url, 'what will the weather be in a city')).toMatchObject({
        resources: [
          {
            resource: `${seller}/weather`,
            svc: { listings: [{ id, owner: payTo.address, trust: 'origin_verified' }] },
          },
        ],
      }),
    )
    expect(await jsonOf(`${service.url}/discovery/resources`)).toMatchObject({
      items: [{ resource: `${seller}/weather` }],
      pagination: { total: 1 },
    })
    expect(await jsonOf(`${service.url}/discovery/resources/${id}`)).toMatchObject({
      state: 'published',
    })
    expect(await jsonOf(`${service.url}/ready`)).toMatchObject({
      checks: { search: { ok: true } },
    })

    const recorded = { status: 'success', code: 'recorded', listingId: id }
    await payUntilTold(localnet, `${seller}/weather`, told, recorded)
  })

  test('is not lost when the process dies between its settlement and its recording; two processes share the work', {
    timeout: 240_000,
  }, async () => {
    const { localnet, database, ofCatalog, ofPayments } = await world()
    await using store = await openStore({ kind: 'postgres', url: database.url, poolSize: 2 })
    const codeOf = async (resource: string) => {
      const rows = await store.db
        .selectFrom('catalog_outcomes')
        .select('code')
        .where('resource', '=', resource)
        .orderBy('at', 'desc')
        .execute()
      return rows[0]?.code
    }
    const payments = await svc('facilitator', ofPayments)
    const payTo = await accountWithUsdc(localnet)
    const told = watchAnswers()
    const seller = await stockSeller(payments.url, payTo.address)

    // No process records: the facilitator waits for the outcome as long as it may, and says so.
    await pay(localnet, `${seller}/weather`)
    expect(told['/settle']).toMatchObject({ status: 'processing', code: 'cataloging_in_progress' })
    expect((await fetch(`${payments.url}/discovery/resources`)).status).toBe(404)
    await payments.kill()
    expect(await store.db.selectFrom('catalog_outbox').selectAll().execute()).toHaveLength(1)

    const again = await svc('facilitator', ofPayments)
    const [one, two] = await Promise.all([svc('catalog', ofCatalog), svc('catalog', ofCatalog)])
    for (const { url } of [one, two]) {
      await eventually(async () =>
        expect(await searchFor(url, 'weather forecast')).toMatchObject({
          resources: [{ resource: `${seller}/weather` }],
        }),
      )
    }
    expect(await store.db.selectFrom('catalog_outbox').selectAll().execute()).toEqual([])
    const listings = await store.db.selectFrom('listings').selectAll().execute()
    expect(listings.map(({ settlements }) => settlements)).toEqual([1n])

    // The other one goes on alone.
    await one.kill()
    const other = await stockSeller(again.url, payTo.address)
    await eventually(async () => {
      // Again after a rejection: on a busy machine the validation of a schema may take longer than it may.
      if ((await codeOf(`${other}/tides`)) !== 'awaiting_origin_verification') {
        await pay(localnet, `${other}/tides`)
      }
      expect(await codeOf(`${other}/tides`)).toBe('awaiting_origin_verification')
    })
    await eventually(async () =>
      expect(await searchFor(two.url, 'heights of the tides in a harbour')).toMatchObject({
        resources: expect.arrayContaining([
          expect.objectContaining({ resource: `${other}/tides` }),
        ]),
      }),
    )
  })
})
