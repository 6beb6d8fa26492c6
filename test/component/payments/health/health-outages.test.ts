import { expect, test, vi } from 'vitest'
import { openPaymentStack } from '../../../support/payment-stack.ts'
import { startRpcProxy } from '../../../support/rpc-proxy.ts'
import { startStack } from '../../../support/stack.ts'
import { startRestartablePostgres } from '../../platform/database/restartable-postgres.ts'
import { healthOf, polled, testnet, timings, warningsOf } from './health-world.ts'

const patience = { timeout: 120_000, interval: 50 }

test('settlement_ledger_unreadable: raised while Postgres is unreachable, with no other warning', async () => {
  await using postgres = await startRestartablePostgres()
  const store = { kind: 'postgres', url: postgres.url, statementTimeoutMs: 2_000 } as const
  await using stack = await startStack({ store, timings, closeEveryMs: 'on-send' })
  expect(await warningsOf(stack)).toMatchObject({ state: 'healthy', codes: [] })

  await postgres.stop()
  const { state, warnings, networks } = await polled(stack)
  expect({ state, codes: warnings.map(({ code }) => code) }).toEqual({
    state: 'degraded',
    codes: ['settlement_ledger_unreadable'],
  })
  expect(networks[testnet]).toMatchObject({
    rpc: { ok: true },
    sponsor: { balanceStroops: expect.any(String), committed1hStroops: null },
    channels: { total: 3, inUse: null },
    settlements: { last1h: null, unfinished: null, unresolvable: 0, repeats1h: 0 },
  })

  await postgres.start()
  await vi.waitFor(
    async () => expect(await warningsOf(stack)).toMatchObject({ state: 'healthy', codes: [] }),
    patience,
  )
  expect((await healthOf(stack)).networks[testnet]?.settlements.unfinished).toBe(0)
})

test('/health answers at once while a poll waits for an endpoint that hangs', async () => {
  await using proxy = await startRpcProxy()
  await using stack = await openPaymentStack({ timings, rpcThrough: proxy.forwardTo })
  const before = await polled(stack)
  proxy.fail('*', { kind: 'hang' })
  let isOver = false
  const polling = stack.facilitator.health.poll().then(() => {
    isOver = true
  })
  expect(await healthOf(stack)).toEqual(before)
  expect(isOver).toBe(false)
  await polling
  const after = await healthOf(stack)
  expect(after.checkedAt).not.toBe(before.checkedAt)
  expect(after.networks[testnet]).toMatchObject({
    rpc: { ok: false },
    settlements: { unfinished: 0 },
  })
})

test('is polled in the background, and a poll that hangs does not delay the next', async () => {
  await using proxy = await startRpcProxy()
  const often = { ...timings, monitorMs: 1_000, readWithinMs: 900 }
  await using stack = await openPaymentStack({ timings: often, rpcThrough: proxy.forwardTo })
  proxy.fail('*', { kind: 'hang' })
  await vi.waitFor(async () => {
    const { state, warnings } = await healthOf(stack)
    expect(state).toBe('degraded')
    expect(warnings.map(({ code }) => code)).toContain('rpc_unhealthy')
  }, patience)
  proxy.heal()
  await vi.waitFor(
    async () => expect(await healthOf(stack)).toMatchObject({ state: 'healthy', warnings: [] }),
    patience,
  )
})

test('is starting, with every network listed, until the first poll has ended', async () => {
  await using proxy = await startRpcProxy()
  proxy.fail('getLedgerEntries', { kind: 'hang' })
  await using stack = await openPaymentStack({
    timings,
    rpcThrough: proxy.forwardTo,
    network: { autoProvisionChannels: false },
  })
  const health = await healthOf(stack)
  expect(health).toMatchObject({ state: 'starting', checkedAt: null, warnings: [] })
  expect(health.networks[testnet]).toMatchObject({
    rpc: { ok: true },
    sponsor: { balanceStroops: null, committed1hStroops: null },
    settlements: { last1h: null, unfinished: null },
    contracts: { USDC: { instanceTtlLedgers: null } },
  })
  proxy.heal()
  await vi.waitFor(async () => expect((await healthOf(stack)).state).toBe('healthy'), patience)
})

test('/health needs no key and is never limited', async () => {
  await using stack = await openPaymentStack({
    timings,
    perMinute: 1,
    network: { requireApiKey: true },
  })
  for (let i = 0; i < 5; i += 1) await healthOf(stack)
})
