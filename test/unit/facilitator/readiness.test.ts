import { describe, expect, test } from 'vitest'
import { asStroops } from '../../../src/core/stroops.ts'
import { readinessOf } from '../../../src/facilitator/readiness.ts'
import { runChecks } from '../../../src/http/readiness.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { known } from './health/facts-builder.ts'

const clock = new FakeClock()
const tip = {
  value: { sequence: 1_234, closeTime: 0, protocolVersion: 23 },
  readAt: clock.now() - 4_000,
}
const well = { tip: { latest: tip, misses: 0 }, balance: known(270_000_000n, 20_000_000n) }

const checksOf = async (monitor: Partial<typeof well> | object = {}, onLedger = 2) => {
  const network = {
    id: 'stellar:testnet',
    minSponsorBalance: asStroops(250_000_000n),
    monitor: { ...well, ...monitor },
    channels: { onLedger },
  } as const
  return runChecks(readinessOf(network, clock))
}

describe('the readiness of a network', () => {
  test('reports the values of the last poll, and their age', async () => {
    expect(await checksOf()).toEqual({
      ready: true,
      checks: {
        'stellar:testnet:rpc': { ok: true, detail: 'ledger 1234, read 4 s ago' },
        'stellar:testnet:sponsor': { ok: true, detail: '270000000' },
        'stellar:testnet:channels': { ok: true, detail: '2' },
      },
    })
  })

  test.each([
    {
      when: 'the last poll had no answer',
      monitor: { tip: { latest: tip, misses: 1 } },
      check: 'rpc',
      detail: 'no endpoint answered the last 1 polls; ledger 1234, read 4 s ago',
    },
    {
      when: 'there never was an answer',
      monitor: { tip: { latest: undefined, misses: 1 } },
      check: 'rpc',
      detail: 'no ledger was read yet',
    },
    {
      when: 'the sponsor is a stroop below the floor',
      monitor: { balance: known(249_999_999n) },
      check: 'sponsor',
      detail: '249999999',
    },
    {
      when: 'the sponsor can spend a stroop less than the floor',
      monitor: { balance: known(270_000_000n, 10_000_000n, 10_000_001n) },
      check: 'sponsor',
      detail: '270000000, of which 249999999 can be spent: less than 25 XLM',
    },
    {
      when: 'the balance is not known',
      monitor: { balance: { kind: 'unknown', forMs: 1 } },
      check: 'sponsor',
      detail: 'the balance is not known',
    },
    { when: 'there is no channel', onLedger: 0, check: 'channels', detail: '0' },
  ])('fails $check when $when', async ({ monitor, onLedger, check, detail }) => {
    const { ready, checks } = await checksOf(monitor, onLedger)
    expect(ready).toBe(false)
    const failed = Object.entries(checks).filter(([, { ok }]) => !ok)
    expect(failed).toEqual([[`stellar:testnet:${check}`, { ok: false, detail }]])
  })
})
