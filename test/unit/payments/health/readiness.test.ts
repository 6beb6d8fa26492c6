import { describe, expect, test } from 'vitest'
import { readinessOf, settledOnce } from '../../../../src/payments/health/readiness.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import { runChecks } from '../../../../src/platform/http/readiness.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { known } from './facts-builder.ts'

const clock = new FakeClock()
const tip = {
  value: { sequence: 1_234, closeTime: 0, protocolVersion: 23 },
  readAt: clock.now() - 4_000,
}
const well = { tip: { latest: tip, misses: 0 }, balance: known(270_000_000n, 20_000_000n) }

const checksOf = async (monitor: Partial<typeof well> | object = {}, onLedger = 2) => {
  const network = {
    id: 'stellar:testnet',
    sponsor: { address: 'GSPONSOR' },
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
      detail:
        'no RPC endpoint answered: nothing can be verified or settled; ledger 1234, read 4 s ago',
    },
    {
      when: 'there never was an answer',
      monitor: { tip: { latest: undefined, misses: 1 } },
      check: 'rpc',
      detail: 'no RPC endpoint answered: nothing can be verified or settled',
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
      detail:
        '270000000: the sponsor can spend 24.9 XLM of its 27 XLM, less than the required 25 XLM of MIN_SPONSOR_BALANCE_XLM (reserves lock 1 XLM, settlements under way may cost 1.0000001 XLM)',
    },
    {
      when: 'the balance is not known',
      monitor: { balance: { kind: 'unknown', forMs: 1 } },
      check: 'sponsor',
      detail: "the sponsor's balance is unknown for 0 s: settlements are refused",
    },
    { when: 'there is no channel', onLedger: 0, check: 'channels', detail: '0' },
  ])('fails $check when $when', async ({ monitor, onLedger, check, detail }) => {
    const { ready, checks } = await checksOf(monitor, onLedger)
    expect(ready).toBe(false)
    const failed = Object.entries(checks).filter(([, { ok }]) => !ok)
    expect(failed).toEqual([[`stellar:testnet:${check}`, { ok: false, detail }]])
  })
})

describe('the readiness of a pod', () => {
  const networkWith = (monitor: object, onLedger = 1, id = 'stellar:testnet' as const) => ({
    id,
    sponsor: { address: 'GSPONSOR' },
    minSponsorBalance: asStroops(0n),
    monitor: { ...well, ...monitor },
    channels: { onLedger },
  })
  const down = { tip: { latest: undefined, misses: 1 } }
  const detailOf = async (check: ReturnType<typeof settledOnce>) =>
    check(new AbortController().signal).then(
      () => 'ready',
      (error: Error) => error.message,
    )

  test.each([
    ['no endpoint answers', down, 1, 'no RPC endpoint answered'],
    [
      'the seed is of no account',
      { balance: { kind: 'missing' } },
      1,
      'sponsor GSPONSOR does not exist on the ledger',
    ],
    [
      'the balance was not read',
      { balance: { kind: 'unknown', forMs: 1 } },
      1,
      'balance is unknown',
    ],
    ['the seed is of another sponsor', {}, 0, 'the sponsor has no channel'],
  ])('a pod that cannot settle gets no requests: %s', async (_, monitor, onLedger, detail) => {
    expect(await detailOf(settledOnce([networkWith(monitor, onLedger)], clock))).toContain(detail)
  })

  test('an outage after the first success takes no pod out', async () => {
    const source = { ...networkWith({}) }
    const check = settledOnce([source], clock)
    expect(await detailOf(check)).toBe('ready')
    Object.assign(source, networkWith(down, 0))
    expect(await detailOf(check)).toBe('ready')
  })

  test('an outage of one network keeps no new pod from serving the other one', async () => {
    const other = { ...networkWith(down), id: 'stellar:pubnet' as const }
    expect(await detailOf(settledOnce([other, networkWith({})], clock))).toBe('ready')
    expect(await detailOf(settledOnce([other, networkWith(down)], clock))).toContain(
      'stellar:pubnet: no',
    )
  })
})
