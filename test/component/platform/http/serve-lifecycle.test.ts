import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { LocalnetServer } from '../../../../src/localnet/server/server.ts'
import { usdcContracts } from '../../../../src/platform/core/caip2.ts'
import { secretOfSeed, signerFromSeed } from '../../../../src/stellar/accounts/signer.ts'
import {
  alertsOf,
  expectAlertSeries,
  ofFacilitator,
  samplesOf,
} from '../../../support/alert-series.ts'
import { expectNamedMetrics } from '../../../support/named-metrics.ts'
import { openWallet, payment } from '../../../support/payments.ts'
import { freshDatabase, type TestDatabase } from '../../../support/postgres.ts'
import { svcProgram } from '../../../support/programs/program-path.ts'
import { startPromptLocalnet } from '../../../support/prompt-localnet.ts'

const XLM = 10_000_000n

let localnet: LocalnetServer
let database: TestDatabase
let env: Record<string, string>

beforeAll(async () => {
  localnet = await startPromptLocalnet()
  database = await freshDatabase()
  const seed = randomBytes(32)
  const { address } = signerFromSeed(seed)
  await localnet.pay({ address, asset: 'XLM', amount: 1_000n * XLM })
  env = {
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    EXPLORER_ENABLED: 'false',
    DATABASE_URL: database.url,
    CHANNEL_COUNT: '2',
    TESTNET_RPC_URL: localnet.httpUrl,
    TESTNET_SPONSOR_SECRET: secretOfSeed(seed),
  }
  // Makes the channels: a service whose sponsor must keep more than it has would not start without them.
  using process = serve()
  await listening(process.child)
})

afterAll(async () => {
  await localnet.close()
  await database[Symbol.asyncDispose]()
})

const digestOf = (key: string) => createHash('sha256').update(key).digest('hex')

const option = { scheme: 'exact', network: 'stellar:testnet' }
/** A well-formed x402 request, which gets a verdict wherever no key is missing. */
const unreadablePayment = {
  x402Version: 2,
  paymentPayload: { x402Version: 2, accepted: option, payload: { transaction: 'AAAA' } },
  paymentRequirements: option,
}

/** `svc serve` as a process of its own; killed, if it still runs, when the test ends. */
function serve(changes: Record<string, string> = {}) {
  const child = spawn(process.execPath, [svcProgram(), 'serve'], {
    env: { ...env, ...changes },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return { child, [Symbol.dispose]: () => child.kill('SIGKILL') }
}

interface Listening {
  readonly url: string
  readonly adminUrl: string
  /** Of the log, before that. */
  readonly lines: readonly Record<string, unknown>[]
}

/** Lines of the log, each with its members, up to the one that has all of these. */
async function logged({ stdout }: ChildProcess, ...members: readonly string[]) {
  if (!stdout) throw new Error('standard output is not piped')
  const seen: Record<string, unknown> = {}
  for await (const line of createInterface(stdout)) {
    Object.assign(seen, JSON.parse(line))
    if (!members.every((member) => member in seen)) continue
    stdout.resume()
    return seen
  }
  throw new Error(`the service ended before it logged ${members}: ${JSON.stringify(seen)}`)
}

/** The line of the log that says where the service listens. */
async function listening({ stdout, stderr }: ChildProcess): Promise<Listening> {
  if (!stdout) throw new Error('standard output is not piped')
  const lines: Record<string, unknown>[] = []
  for await (const line of createInterface(stdout)) {
    const { url, adminUrl, ...others } = JSON.parse(line)
    if (url !== undefined) return { url, adminUrl, lines }
    lines.push(others)
  }
  const errors = stderr ? await text(stderr) : ''
  throw new Error(`the service ended before it listened:\n${JSON.stringify(lines)}\n${errors}`)
}

describe('svc serve', () => {
  test('shows its version and its watched contracts, is not ready with too low a sponsor balance, and takes no key of an empty file', async () => {
    // Its last key was withdrawn. The unit tests of the file withdraw it from a service that runs.
    await using directory = await mkdtempDisposable(join(tmpdir(), 'svc-serve-'))
    const file = join(directory.path, 'digests')
    await writeFile(file, '')
    const vault = usdcContracts['stellar:pubnet']
    using process = serve({
      SVC_VERSION: '1.2.3',
      MIN_SPONSOR_BALANCE_XLM: '2000',
      WATCHED_CONTRACTS: `vault=${vault}`,
      REQUIRE_API_KEY: 'true',
      API_KEY_SHA256_FILE: file,
    })
    const { url } = await listening(process.child)
    const headers = { 'x-api-key': 'svc_withdrawn' }
    expect((await fetch(`${url}/usage`, { headers })).status).toBe(401)

    const { ready, checks } = Object(await (await fetch(`${url}/ready`)).json())
    expect(ready).toBe(false)
    expect(checks).toEqual({
      database: { ok: true },
      'stellar:testnet:rpc': { ok: true, detail: expect.stringMatching(/^ledger \d+, read/) },
      'stellar:testnet:sponsor': { ok: false, detail: expect.stringMatching(/^\d+$/) },
      'stellar:testnet:channels': { ok: true, detail: '2' },
      search: { ok: true, detail: 'revision 0' },
    })
    const codesOf = async () => {
      const { version, state, warnings } = Object(await (await fetch(`${url}/health`)).json())
      return { version, state, codes: warnings.map(({ code }: { code: string }) => code) }
    }
    const expected = {
      version: '1.2.3',
      state: 'degraded',
      codes: ['sponsor_below_floor', 'contract_missing'],
    }
    const patience = { timeout: 120_000, interval: 20 }
    await vi.waitFor(async () => expect(await codesOf()).toEqual(expected), patience)
  })

  test('serves, says that it is ready, has in /metrics what alerts and panels name, and stops with 0 on a signal', async () => {
    await using database = await freshDatabase()
    using process = serve({
      STORE: 'postgres',
      DATABASE_URL: database.url,
      MAX_SPONSOR_SPEND_XLM_PER_HOUR: '100',
      EXPLORER_ENABLED: 'true',
      EXPLORER_PORT: '0',
    })
    const { url, adminUrl, explorerUrl } = await logged(
      process.child,
      ...['url', 'adminUrl', 'explorerUrl'],
    )
    expect((await fetch(`${url}/supported`)).status).toBe(200)
    const ready = await fetch(`${url}/ready`)
    expect(ready.status).toBe(200)
    // The row "database (shared durable store only)" of the interface.
    expect(Object(await ready.json()).checks).toHaveProperty('database', { ok: true })
    expect((await fetch(`${adminUrl}/livez`)).status).toBe(200)
    expect(await (await fetch(`${adminUrl}/readyz`)).json()).toEqual({
      ready: true,
      checks: {
        store: { ok: true },
        schema: { ok: true },
        draining: { ok: true },
        settle: { ok: true },
      },
    })

    const payer = await openWallet(localnet)
    const { address: payTo } = await openWallet(localnet)
    const body = JSON.stringify(await payment(localnet, { payer, payTo }))
    for (const path of ['/verify', '/settle']) {
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(url + path, { method: 'POST', headers, body })
      expect(await answer.json()).toMatchObject({ payer: payer.address })
    }
    const exposition = await (await fetch(`${url}/metrics`)).text()
    expect(exposition).toContain('svc_process_')
    expectNamedMetrics('facilitator', exposition)
    expectAlertSeries(samplesOf(exposition, ofFacilitator), alertsOf.facilitator)

    // The explorer beside it, on a port of its own, has read the payment from the ledger.
    await vi.waitFor(
      async () =>
        expect(await (await fetch(`${explorerUrl}/feed`)).json()).toMatchObject({
          items: [{ buyer: payer.address, seller: payTo, confidence: 'svc' }],
        }),
      { timeout: 120_000, interval: 50 },
    )
    expect((await fetch(`${explorerUrl}/ready`)).status).toBe(200)
    expect(await (await fetch(`${explorerUrl}/health`)).json()).toMatchObject({ status: 'ok' })
    // Its thread has the counts; the port that is scraped for payments shows them, too.
    expect(await (await fetch(`${adminUrl}/metrics`)).text()).toMatch(
      /^svc_explorer_payments_total\{.*confidence="svc".*\} 1$/m,
    )
    // It counts gaps only after its first round, which may come after the payment is there.
    await vi.waitFor(
      async () => {
        const ofExplorer = await (await fetch(`${explorerUrl}/metrics`)).text()
        expectNamedMetrics('explorer', ofExplorer)
        expectAlertSeries(samplesOf(ofExplorer, ofFacilitator), alertsOf.explorer)
      },
      { timeout: 120_000, interval: 50 },
    )
    process.child.kill('SIGTERM')
    expect(await once(process.child, 'exit')).toEqual([0, null])
  })

  test('takes payments without the explorer while its port is taken, says so, and limits the requests of one address', async () => {
    await using other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    using process = serve({
      EXPLORER_ENABLED: 'true',
      EXPLORER_PORT: String(port),
      RATE_LIMIT_PER_MINUTE: '2',
    })
    const { url, reason, msg } = await logged(process.child, 'url', 'reason')

    expect(reason).toBe(
      `EXPLORER_PORT: port ${port} on 127.0.0.1 is taken by another program. Stop that program, or set EXPLORER_PORT to another port; 0 takes any free one.`,
    )
    expect(msg).toMatch(/^(The explorer cannot run\. Payments go on without it|Service is)/)
    expect((await fetch(`${url}/ready`)).status).toBe(200)
    expect(await (await fetch(`${url}/metrics`)).text()).toContain(
      'svc_background_errors_total{task="explorer"} 1',
    )

    const statuses = []
    // Even if a minute ends during the test, one minute has more than two.
    for (let i = 0; i < 6; i += 1) statuses.push((await fetch(`${url}/supported`)).status)
    expect(statuses).toContain(429)
    expect((await fetch(`${url}/ready`)).status).toBe(200)
    expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^svc_rate_limited_total [1-9]/m)
    process.child.kill('SIGTERM')
    expect(await once(process.child, 'exit')).toEqual([0, null])
  })

  test('requires the keys whose digests are now in the file', async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'svc-serve-'))
    const file = join(directory.path, 'digests')
    await writeFile(file, digestOf('svc_first'))
    using process = serve({ REQUIRE_API_KEY: 'true', API_KEY_SHA256_FILE: file })
    const { url } = await listening(process.child)
    const verify = async (key: string) => {
      const headers = { 'content-type': 'application/json', 'x-api-key': key }
      const body = JSON.stringify(unreadablePayment)
      return (await fetch(`${url}/verify`, { method: 'POST', headers, body })).status
    }
    expect([await verify('svc_first'), await verify('svc_second')]).toEqual([200, 401])

    await writeFile(file, digestOf('svc_second'))
    const patience = { timeout: 120_000, interval: 20 }
    await expect.poll(() => verify('svc_second'), patience).toBe(200)
    expect(await verify('svc_first')).toBe(401)
  })

  test('says in a sentence that its port is taken', async () => {
    using process = serve({ PORT: new URL(localnet.httpUrl).port })
    const [[code], errors] = await Promise.all([
      once(process.child, 'exit'),
      text(process.child.stderr),
      text(process.child.stdout),
    ])

    expect(code).toBe(1)
    expect(errors).toMatch(
      /^svc serve: PORT: port \d+ on 127\.0\.0\.1 is taken by another program\. Stop that program, .*\n$/,
    )
  })

  test('serves while a network does not answer, and says so in the log', async () => {
    await using database = await freshDatabase()
    using process = serve({
      STORE: 'postgres',
      DATABASE_URL: database.url,
      NETWORKS: 'stellar:testnet,stellar:pubnet',
      PUBNET_RPC_URL: 'https://127.0.0.1:1/a-key',
      PUBNET_SPONSOR_SECRET: env['TESTNET_SPONSOR_SECRET'] ?? '',
      PUBNET_AUTO_PROVISION_CHANNELS: 'true',
      REQUIRE_API_KEY: 'false',
    })
    const { url, lines } = await listening(process.child)
    expect(lines.filter(({ level }) => level === 'error')).toMatchObject([
      {
        network: 'stellar:pubnet',
        endpoints: ['127.0.0.1:1'],
        reason: expect.stringContaining('fetch failed'),
        msg: expect.stringContaining('tries again every 5 s'),
      },
    ])
    const ready = await fetch(`${url}/ready`)
    expect(ready.status).toBe(503)
    expect(await ready.json()).toMatchObject({
      checks: {
        'stellar:testnet:rpc': { ok: true },
        'stellar:testnet:channels': { ok: true, detail: '2' },
        'stellar:pubnet:rpc': { ok: false },
        'stellar:pubnet:channels': { ok: false, detail: '0' },
      },
    })

    const payer = await openWallet(localnet)
    const { address: payTo } = await openWallet(localnet)
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify(await payment(localnet, { payer, payTo }))
    const settled = await fetch(`${url}/settle`, { method: 'POST', headers, body })
    expect(await settled.json()).toMatchObject({ success: true })
    process.child.kill('SIGTERM')
    await once(process.child, 'exit')
  })

  test('obeys a signal while it waits for a network', async () => {
    await using silent = await silentServer()
    using process = serve({ TESTNET_RPC_URL: silent.url })
    await silent.requested
    process.child.kill('SIGTERM')
    const [[code], lines] = await Promise.all([
      once(process.child, 'exit'),
      text(process.child.stdout),
      text(process.child.stderr),
    ])
    expect(code).toBe(0)
    expect(lines).toContain('Service stopped before it was open')
  })
})

/** Takes requests and never answers. */
async function silentServer() {
  const requested = Promise.withResolvers<void>()
  const server = createServer(() => requested.resolve()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requested: requested.promise,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
