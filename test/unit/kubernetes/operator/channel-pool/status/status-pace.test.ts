import { expect, test } from 'vitest'
import type { ChannelPool } from '../../../../../../src/kubernetes/crd/channel-pool.ts'
import type { PoolResult } from '../../../../../../src/kubernetes/operator/channel-pool/converge/converge.ts'
import { conditionsOf } from '../../../../../../src/kubernetes/operator/channel-pool/status/conditions.ts'
import { statusOf } from '../../../../../../src/kubernetes/operator/channel-pool/status/status.ts'
import { StatusPace } from '../../../../../../src/kubernetes/operator/channel-pool/status/status-pace.ts'
import { atGeneration } from '../../../../../../src/kubernetes/operator/reporting/report.ts'
import { account, channel, noFunds, result, xlm } from '../results.ts'

const metadata = { uid: 'pool', generation: 1, name: 'testnet', namespace: 'shop' }
const hash = 'a'.repeat(64)

/** A pool as its passes report it: `pass` answers whether the status was written. */
function paced(pace = new StatusPace()) {
  let status: unknown
  return (of: PoolResult, now: number, generation = 1): boolean => {
    const pool = { metadata: { ...metadata, generation }, status } as ChannelPool
    const conditions = conditionsOf(of)
    const next = atGeneration(pool, statusOf(of, pool.status, now))
    const isDue = pace.isDue(pool, conditions, next, now)
    if (isDue) status = { ...next, conditions }
    return isDue
  }
}

const balance = (lumens: number, overrides: Parameters<typeof result>[0] = {}) =>
  result({
    sponsor: account({ address: 'GSPONSOR', balance: xlm(lumens), sponsoring: 4, sponsored: 0 }),
    ...overrides,
  })
const busy = { channels: [channel(0, { isLeased: true }), channel(1)] }

test('what every settlement changes is written once a minute', () => {
  const pass = paced()
  const written = Array.from({ length: 120 }, (_, second) =>
    pass(balance(1_000 - second, second % 2 === 0 ? busy : {}), second * 1_000),
  )
  expect(written.filter(Boolean)).toHaveLength(2)
  expect(written[60]).toBe(true)
})

test.each<{ of: string; next: PoolResult }>([
  { of: 'a sponsor that has too little', next: balance(20) },
  { of: 'a sponsor that cannot pay for a settlement', next: balance(3) },
  {
    of: 'a channel that is not ready any more',
    next: balance(100, { channels: [channel(0)], accounts: new Map([[0, account()]]) }),
  },
  { of: 'another number of channels', next: balance(100, { desired: 3 }) },
  {
    of: 'a transaction',
    next: balance(100, {
      applied: { kind: 'created', count: 1, authorities: 0, ...noFunds, hash, ledger: 7 },
    }),
  },
  {
    of: 'another Facilitator that uses the pool',
    next: balance(100, {
      users: [{ name: 'shop', replicas: 2, requires: xlm(0), requiresBy: 'sponsor.reserveXlm' }],
    }),
  },
])('$of is written at once', ({ next }) => {
  const pass = paced()
  expect(pass(balance(100), 0)).toBe(true)
  expect(pass(balance(99), 1_000)).toBe(false)
  expect(pass(next, 2_000)).toBe(true)
})

test('a sponsor that has enough again is written at once, and so is a new spec', () => {
  const pass = paced()
  pass(balance(20), 0)
  expect(pass(balance(200), 1_000)).toBe(true)
  expect(pass(balance(200), 2_000)).toBe(false)
  expect(pass(balance(200), 3_000, 2)).toBe(true)
})

test('a pool that is created under the name of another one does not wait for it', () => {
  const pace = new StatusPace()
  const pass = paced(pace)
  pass(balance(100), 0)
  pace.forget(metadata.uid)
  expect(pass(balance(99), 1_000)).toBe(true)
})
