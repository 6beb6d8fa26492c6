import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { defaultTimings } from '../../../../src/payments/engine/timings.ts'
import { createHttpServer } from '../../../../src/platform/http/server/server.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import { metricTable } from '../../../../src/platform/telemetry/metrics/metric-table.ts'
import { acceptedKeys } from '../../../support/api-keys.ts'
import { type Stack, startStack } from '../../../support/stack.ts'
import { reach } from '../../../support/stock/stock-client.ts'
import { stockRequest } from '../../../support/stock/stock-request.ts'

/*
 * The rows of the interface about the operations endpoints, each quoted in the title of its case.
 * Those about payments, keys and limits are in test/component/conformance, and beside what they limit.
 */

const KEY = 'svc_rows'
const NETWORK = 'stellar:testnet'
const patience = { timeout: 120_000, interval: 20 }
const sentence = expect.stringMatching(/\S/)
const whole = expect.toSatisfy(Number.isInteger)
const stroops = expect.stringMatching(/^\d+$/)
const orNull = (matcher: object) =>
  expect.toSatisfy((value) => value === null || Object(matcher).asymmetricMatch(value))

const opened = new AsyncDisposableStack()
let stack: Stack
let health: Record<string, unknown>
let ready: Record<string, unknown>
let metrics: Response
let exposition: string

beforeAll(async () => {
  stack = opened.use(
    await startStack({
      closeEveryMs: 'on-send',
      tls: true,
      timings: { monitorMs: 100 },
      keys: acceptedKeys(KEY),
    }),
  )
  reach(stack.localnet)
  const { body } = await stockRequest(stack.localnet)
  await stack.post('/verify', body)
  expect((await stack.post('/settle', body)).body).toMatchObject({ success: true })
  await vi.waitFor(async () => {
    health = (await stack.get('/health')).body
    expect(health).toMatchObject({ state: 'healthy' })
  }, patience)
  ready = (await stack.get('/ready')).body
  metrics = await fetch(`${stack.baseUrl}/metrics`)
  exposition = await metrics.text()
})
afterAll(() => opened.disposeAsync())

describe('GET /health', () => {
  it.each([
    { row: 'status: "constant ok"', member: 'status', is: 'ok' },
    { row: 'version: "default dev"', member: 'version', is: 'dev' },
    {
      row: 'state: "starting, healthy or degraded"',
      member: 'state',
      is: expect.stringMatching(/^(starting|healthy|degraded)$/),
    },
    {
      row: 'checkedAt: "date-time or null"',
      member: 'checkedAt',
      is: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    },
    { row: 'warnings: "array, required"', member: 'warnings', is: expect.any(Array) },
    {
      row: 'networks: "map of network id to network health"',
      member: 'networks',
      is: { [NETWORK]: expect.any(Object) },
    },
  ])('$row', ({ member, is }) => expect(health).toHaveProperty([member], is))

  it.each([
    {
      row: 'rpc: "ok, latestLedger, ledgerAgeSeconds, transportErrors1h"',
      member: 'rpc',
      is: {
        ok: true,
        latestLedger: whole,
        ledgerAgeSeconds: orNull(whole),
        transportErrors1h: whole,
      },
    },
    {
      row: 'sponsor: "address, balanceStroops, committed1hStroops, wasted1hStroops"',
      member: 'sponsor',
      is: {
        address: expect.stringMatching(/^G[A-Z2-7]{55}$/),
        balanceStroops: stroops,
        committed1hStroops: orNull(stroops),
        wasted1hStroops: stroops,
      },
    },
    {
      row: 'channels: "total, inUse, leaseWaitP95Ms, leaseTimeouts1h"',
      member: 'channels',
      is: {
        total: 3,
        inUse: orNull(whole),
        leaseWaitP95Ms: orNull(expect.any(Number)),
        leaseTimeouts1h: whole,
      },
    },
    {
      row: 'settlements: "last1h, unfinished, unresolvable, repeats1h"',
      member: 'settlements',
      is: {
        last1h: orNull({
          asymmetricMatch: (value: object) =>
            Object.keys(value).toSorted().join() === 'expired,failed,pending,succeeded',
        }),
        unfinished: orNull(whole),
        unresolvable: whole,
        repeats1h: whole,
      },
    },
    { row: '"sequenceConflicts1h (integer)"', member: 'sequenceConflicts1h', is: whole },
    {
      row: 'contracts: "map of watched-contract alias to: id, instanceTtlLedgers, codeTtlLedgers (optional)"',
      member: 'contracts',
      is: {
        USDC: {
          id: expect.stringMatching(/^C[A-Z2-7]{55}$/),
          instanceTtlLedgers: orNull(whole),
        },
      },
    },
  ])('network health, $row', ({ member, is }) => {
    expect(health).toHaveProperty(['networks', NETWORK, member], is)
  })

  it.each([
    { row: '"catalog: present when the catalog is enabled"', path: ['catalog'] },
    { row: '"search: present when the catalog is enabled"', path: ['search'] },
    {
      row: '"upto: present on networks that serve the upto scheme"',
      path: ['networks', NETWORK, 'upto'],
    },
  ])('$row, which is not so here', ({ path }) => expect(health).not.toHaveProperty(path))

  it('"snapshot refresh: every 15 seconds"', () => expect(defaultTimings.monitorMs).toBe(15_000))
})

describe('GET /ready', () => {
  it('"ready: boolean", HTTP 200 "when every check passes"', async () => {
    const { status, body } = await stack.get('/ready')
    expect({ status, ready: body.ready }).toEqual({ status: 200, ready: true })
  })

  it.each([
    { row: '"<network>:rpc"', name: 'rpc', detail: sentence },
    {
      row: '"<network>:sponsor (detail carries the balance in stroops)"',
      name: 'sponsor',
      detail: stroops,
    },
    {
      row: '"<network>:channels (detail carries the channel count)"',
      name: 'channels',
      detail: '3',
    },
  ])('checks: $row', ({ name, detail }) => {
    expect(ready).toHaveProperty(['checks', `${NETWORK}:${name}`], { ok: true, detail })
  })
})

describe('a service whose network is gone', () => {
  let lost: Stack
  beforeAll(async () => {
    lost = opened.use(await startStack({ closeEveryMs: 'on-send', timings: { monitorMs: 100 } }))
    await lost.localnet.close()
  })

  it('/health: "HTTP 200 whenever the process is up, whatever its state"; healthy to degraded "when any warning is critical"', async () => {
    await vi.waitFor(async () => {
      const { status, body } = await lost.get('/health')
      expect({ status, state: body.state }).toEqual({ status: 200, state: 'degraded' })
      expect(body.warnings).toContainEqual({
        code: 'rpc_unhealthy',
        severity: 'critical',
        message: sentence,
        network: NETWORK,
      })
    }, patience)
  })

  it('/ready: "503 otherwise"', async () => {
    await vi.waitFor(async () => {
      const { status, body } = await lost.get('/ready')
      expect({ status, ready: body.ready }).toEqual({ status: 503, ready: false })
      expect(body.checks[`${NETWORK}:rpc`]).toEqual({ ok: false, detail: sentence })
    }, patience)
  })
})

describe('GET /metrics', () => {
  it('"plain-text metrics exposition"', () => {
    expect(metrics.status).toBe(200)
    expect(metrics.headers.get('content-type')).toMatch(/^text\/plain/)
  })

  it.each([
    ['svc_verifications_total', 'network, outcome, reason'],
    ['svc_settlements_total', 'network, outcome, reason'],
    ['svc_http_request_duration_seconds', 'method, route, status'],
    ['svc_sponsor_balance_stroops', 'network'],
    ['svc_channels_in_use', 'network'],
    ['svc_channels_total', 'network'],
    ['svc_settlements_reconciled_total', ''],
    ['svc_background_errors_total', 'task'],
    ['svc_catalog_outcomes_total', 'phase, status, code'],
    ['svc_rate_limited_total', ''],
  ])('%s with the labels "%s"', (name, labels) => {
    const row = Object.values(metricTable).find((each) => each.name === name)
    expect(row?.labels.join(', ')).toBe(labels)
    expect(exposition).toContain(`# HELP ${name} `)
  })
})

describe('GET /usage', () => {
  it('"API key (required)": 401 without one', async () => {
    expect((await stack.get('/usage')).status).toBe(401)
  })

  it('"metered usage of the calling key"', async () => {
    const headers = { 'x-api-key': KEY }
    expect((await fetch(`${stack.baseUrl}/usage`, { headers })).status).toBe(200)
  })
})

it('"HTTP statuses stated: 500 (internal failure)", with "error.code, error.reason, error.retryable"', async () => {
  await using server = createHttpServer({ logger: createLogger({ level: 'silent' }) })
  server.app.get('/broken', () => {
    throw new Error('a defect')
  })
  const response = await server.app.inject('/broken')
  expect(response.statusCode).toBe(500)
  expect(response.json()).toEqual({
    error: { code: 'internal_error', reason: sentence, retryable: true },
  })
})
