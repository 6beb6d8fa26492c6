import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SteadyClock, systemClock } from '../../../../src/platform/core/time/clock.ts'
import { exposeMetrics } from '../../../../src/platform/http/admin.ts'
import { createHttpServer } from '../../../../src/platform/http/server/server.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import { metricTable } from '../../../../src/platform/telemetry/metrics/metric-table.ts'
import { stages } from '../../../../src/platform/telemetry/traces/stages.ts'
import { openPaymentStack } from '../../../support/payment-stack.ts'
import { openWallet, payment, type Wallet } from '../../../support/payments.ts'
import { type RpcProxy, startRpcProxy } from '../../../support/rpc-proxy.ts'
import type { Stack } from '../../../support/stack.ts'

const network = 'network="stellar:testnet"'
/** No other wait of the service is as long, so the clock of this file knows it. */
const CONFIRM_WINDOW_MS = 24_999

describe('the metrics of a service that took payments', () => {
  const opened = new AsyncDisposableStack()
  let stack: Stack
  let proxy: RpcProxy
  let payer: Wallet
  let payTo: string
  /** While no ledger closes, a request stops waiting for one at once. */
  let isHeld = false
  const clock: SteadyClock = {
    ...systemClock,
    sleep: (ms, signal) => systemClock.sleep(isHeld && ms === CONFIRM_WINDOW_MS ? 0 : ms, signal),
  }

  beforeAll(async () => {
    proxy = opened.use(await startRpcProxy())
    stack = opened.use(
      await openPaymentStack({
        rpcThrough: (url) => proxy.forwardTo(url),
        clock,
        timings: { confirmWindowMs: CONFIRM_WINDOW_MS, monitorMs: 200 },
        reconcileIntervalMs: 200,
        perMinute: 100,
      }),
    )
    payer = await openWallet(stack.localnet)
    payTo = (await openWallet(stack.localnet)).address
    await takePayments()
  })
  afterAll(() => opened.disposeAsync())

  /** One of each kind of end, one repeat, one refusal by the rate limiter, one fault in the background. */
  async function takePayments(): Promise<void> {
    const settled = await payment(stack.localnet, { payer, payTo })
    await stack.post('/verify', settled)
    await settleFor(settled, 'success')
    await settleFor(settled, 'success')
    const unpayable = await payment(stack.localnet, { payer, payTo, amount: 10n ** 15n })
    await stack.post('/verify', unpayable)
    await settleFor(unpayable, 'failure')
    stack.hold(true)
    isHeld = true
    await settleFor(await payment(stack.localnet, { payer, payTo }), 'pending')
    isHeld = false
    stack.hold(false)
    await stack.localnet.closeLedger()
    proxy.fail('getFeeStats', { kind: 'hang up' }, 40)
    // Over the limit even if a minute ends in between.
    for (let count = 0; count < 230; count++) await stack.get('/supported')
  }

  async function settleFor(body: unknown, outcome: string): Promise<void> {
    const answer = await stack.post('/settle', body)
    const { success, errorReason } = answer.body
    const pending = errorReason === 'settlement_pending' ? 'pending' : 'failure'
    expect(success ? 'success' : pending).toBe(outcome)
  }

  const samples = async (name: string): Promise<string[]> => {
    const { text } = await stack.metrics.expose()
    return text.split('\n').filter((line) => line.startsWith(name))
  }
  const value = async (start: string): Promise<number> =>
    Number((await samples(start))[0]?.split(' ').at(-1) ?? Number.NaN)

  it('has all ten families of the interface', async () => {
    const names = Object.values(metricTable).map(({ name }) => name)
    expect(names).toEqual(
      expect.arrayContaining([
        'svc_verifications_total',
        'svc_settlements_total',
        'svc_http_request_duration_seconds',
        'svc_sponsor_balance_stroops',
        'svc_channels_in_use',
        'svc_channels_total',
        'svc_settlements_reconciled_total',
        'svc_background_errors_total',
        'svc_catalog_outcomes_total',
        'svc_rate_limited_total',
      ]),
    )
  })

  it.each([
    [`svc_verifications_total{${network},outcome="valid",reason=""}`, 1],
    [`svc_settlements_total{${network},outcome="success",reason=""}`, 2],
    [`svc_settlements_total{${network},outcome="pending",reason="settlement_pending"}`, 1],
    [`svc_channels_total{${network}}`, 3],
    [`svc_settlements_unresolvable{${network}}`, 0],
    ['svc_settlements_reconciled_total', 0],
  ])('counts %s %d', async (start, expected) => {
    expect(await value(start)).toBe(expected)
  })

  it('counts failures by reason', async () => {
    const failed = await samples(`svc_settlements_total{${network},outcome="failure"`)
    expect(failed).toEqual([expect.stringMatching(/reason="[a-z_]+"\} 1$/)])
  })

  it('times every stage of a settlement', async () => {
    await expect.poll(stageCounts, { timeout: 120_000, interval: 20 }).toEqual([...stages])
  })

  const stageCounts = async () => {
    const lines = await samples('svc_payment_stage_duration_seconds_count')
    const counted = new Set(lines.map((line) => /stage="(\w+)"/.exec(line)?.[1]))
    return stages.filter((stage) => counted.has(stage))
  }

  it('times the wait for a channel, and for the ledger, also after the request has timed out', async () => {
    const leased = `svc_channel_lease_wait_seconds_count{${network},outcome="leased"}`
    expect(await value(leased)).toBe(2)
    const confirmed = `svc_settlement_confirm_seconds_count{${network},outcome="succeeded"}`
    await expect.poll(() => value(confirmed), { timeout: 120_000, interval: 20 }).toBe(2)
  })

  it('labels requests to each endpoint with its host alone', async () => {
    const endpoint = `endpoint="${new URL(proxy.url).host}"`
    const sent = `svc_rpc_requests_total{${network},${endpoint},method="sendTransaction",outcome="ok"}`
    expect(await value(sent)).toBeGreaterThanOrEqual(2)
    expect((await samples('svc_rpc_request_duration_seconds_count')).join()).toContain(endpoint)
  })

  it('counts background failures and refusals of the rate limiter', async () => {
    const failed = 'svc_background_errors_total{task="monitor"}'
    await expect.poll(() => value(failed), { timeout: 120_000, interval: 50 }).toBeGreaterThan(0)
    expect(await value('svc_rate_limited_total')).toBeGreaterThan(0)
  })

  it('shows the unfinished settlements and the sponsor balance', async () => {
    const open = () => value(`svc_settlements_unfinished{${network}}`)
    await expect.poll(open, { timeout: 120_000, interval: 50 }).toBe(0)
    expect(await value(`svc_sponsor_balance_stroops{${network}}`)).toBeGreaterThan(0)
  })
})

describe('the labels', () => {
  it('never have a value that a caller chose', async () => {
    await using stack = await openPaymentStack()
    const logger = createLogger({ level: 'silent' })
    await using server = createHttpServer({ logger, observe: stack.metrics.observeRequest })
    exposeMetrics(server.app, stack.metrics)
    const wallet = await openWallet(stack.localnet)
    const body = await payment(stack.localnet, { payer: wallet, payTo: wallet.address })
    for (const path of ['/verify', '/settle'] as const) {
      for (const garbage of ['stellar:GARBAGE', 'GARBAGE', '__proto__', 'constructor']) {
        const { paymentRequirements, ...rest } = body
        const requirements = { ...paymentRequirements, network: garbage, scheme: 'GARBAGE' }
        await stack.post(path, { ...rest, paymentRequirements: requirements, x402Version: 9 })
        await stack.post(path, { ...rest, paymentRequirements: requirements })
      }
    }
    await server.app.inject('/GARBAGE/1?GARBAGE')
    await server.app.inject({ method: 'OPTIONS', url: '/GARBAGE' })
    stack.metrics.observeRequest({
      method: 'PROPFIND',
      route: 'unmatched',
      status: 404,
      seconds: 0,
    })

    const { text } = await stack.metrics.expose()
    expect(text).not.toMatch(/GARBAGE|__proto__|constructor|PROPFIND/)
    expect(text).toContain('svc_verifications_total{network="",outcome="invalid"')
    expect(text).toContain('method="other",route="unmatched",status="404"')
  })
})
