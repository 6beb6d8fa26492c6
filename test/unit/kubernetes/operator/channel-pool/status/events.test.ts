import { expect, test } from 'vitest'
import type { ChannelPool } from '../../../../../../src/kubernetes/crd/channel-pool.ts'
import type { PoolResult } from '../../../../../../src/kubernetes/operator/channel-pool/converge/converge.ts'
import { conditionsOf } from '../../../../../../src/kubernetes/operator/channel-pool/status/conditions.ts'
import { createPoolReport } from '../../../../../../src/kubernetes/operator/channel-pool/status/report.ts'
import type { EventFacts } from '../../../../../../src/kubernetes/runtime/events/events.ts'
import { account, result, xlm } from '../results.ts'

/** The events of the second of two passes. */
async function eventsBetween(before: PoolResult, now: PoolResult): Promise<readonly EventFacts[]> {
  const events: EventFacts[] = []
  const report = createPoolReport({
    statuses: { write: async () => true },
    events: { record: (_: unknown, facts: EventFacts) => events.push(facts) } as never,
    clock: { now: () => 0, sleep: async () => undefined },
  })
  const conditions = conditionsOf(before)
  const live = { metadata: { name: 'testnet', generation: 1 }, status: { conditions } }
  const { signal } = new AbortController()
  await report(live as unknown as ChannelPool, conditionsOf(now), {}, signal)
  return events
}

const balance = (lumens: number) =>
  result({
    sponsor: account({ address: 'GSPONSOR', balance: xlm(lumens), sponsoring: 4, sponsored: 0 }),
  })

test('a sponsor that runs low while its channels are ready makes one event, with what to send', async () => {
  expect(await eventsBetween(balance(100), balance(20))).toEqual([
    expect.objectContaining({
      type: 'Warning',
      reason: 'SponsorLow',
      note: expect.stringMatching(/send 8 XLM to GSPONSOR/),
    }),
  ])
  expect(await eventsBetween(balance(20), balance(19))).toEqual([])
  expect(await eventsBetween(balance(20), balance(100))).toEqual([])
})

test('a sponsor that cannot pay makes one event, not one of each condition', async () => {
  const short = result({
    desired: 3,
    channels: [],
    accounts: new Map(),
    applied: { kind: 'short', message: 'sponsor GSPONSOR lacks 5 XLM' },
  })
  const events = await eventsBetween(balance(100), short)
  expect(events.map(({ reason }) => reason)).toEqual(['SponsorShort'])
})
