import { describe, expect, test } from 'vitest'
import { NetworkTime } from '../../../../src/payments/engine/network/network-time.ts'
import { fingerprintOf } from '../../../../src/payments/engine/repeat.ts'
import { inclusionBid } from '../../../../src/payments/engine/send/inclusion-fee.ts'
import { paymentRequestSchema } from '../../../../src/payments/protocol/protocol.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import { type FeeStats, RpcError } from '../../../../src/stellar/rpc/rpc.ts'
import { FakeClock } from '../../../support/fake-clock.ts'

describe('inclusionBid', () => {
  const options = { floor: asStroops(100n), cap: asStroops(10_000n), percentile: 'p90' } as const
  const stats = (p90: bigint): FeeStats => {
    const fee = asStroops(p90)
    const sorobanInclusionFee = {
      min: fee,
      max: fee,
      mode: fee,
      p50: fee,
      p60: fee,
      p70: fee,
      p80: fee,
      p90: fee,
      p95: fee,
      p99: fee,
    }
    return { latestLedger: 1, sorobanInclusionFee }
  }
  test.each([
    { when: 'bids the floor before the first read', seen: undefined, gives: 100n },
    { when: 'bids the floor when others bid less', seen: 0n, gives: 100n },
    { when: 'bids as others do between floor and cap', seen: 2_500n, gives: 2_500n },
    { when: 'never exceeds the cap', seen: 10_001n, gives: 10_000n },
  ])('$when', ({ seen, gives }) => {
    expect(inclusionBid(seen === undefined ? undefined : stats(seen), options)).toBe(gives)
  })
})

describe('NetworkTime', () => {
  test('knows no time before it saw a ledger', () => {
    expect(new NetworkTime(new FakeClock()).now).toBeUndefined()
  })

  test("runs from the latest close time, however wrong this machine's clock is", async () => {
    const clock = new FakeClock(0)
    const time = new NetworkTime(clock)
    time.observe({ sequence: 10, closeTime: 1_000_000 })
    await clock.advance(2_900)
    expect(time.now).toBe(1_000_002)
  })

  test('is not set back by a ledger observed earlier', async () => {
    const clock = new FakeClock(0)
    const time = new NetworkTime(clock)
    time.observe({ sequence: 10, closeTime: 1_000_000 })
    await clock.advance(4_000)
    time.observe({ sequence: 10, closeTime: 1_000_000 })
    expect(time.now).toBe(1_000_004)
  })
})

describe('reading the time of a network', () => {
  const signal = new AbortController().signal
  function network() {
    const requests: string[] = []
    const failures: RpcError[] = []
    const rpc = {
      latestLedger: async () => {
        requests.push('tip')
        return { sequence: 1_000, closeTime: 90_000, protocolVersion: 29 }
      },
      transaction: async () => {
        requests.push('retained')
        const failure = failures.shift()
        if (failure) throw failure
        const oldest = { oldestLedger: 900, oldestCloseTime: 89_900 }
        const latest = { latestLedger: 1_000, latestCloseTime: 90_000 }
        return { status: 'NOT_FOUND' as const, ...oldest, ...latest }
      },
    }
    return { rpc, requests, failures }
  }

  test('gives the seconds per ledger at once, by the ledgers that it retains', async () => {
    const time = new NetworkTime(new FakeClock(0))
    const { rpc, requests } = network()
    expect(await time.read(rpc, signal)).toMatchObject({ sequence: 1_000 })
    expect(time.secondsPerLedger).toBe(1)
    await time.read(rpc, signal)
    expect(requests).toEqual(['tip', 'retained', 'tip'])
  })

  test('gives five seconds when these cannot be read, and reads them the next time', async () => {
    const time = new NetworkTime(new FakeClock(0))
    const { rpc, failures } = network()
    failures.push(new RpcError('transport', 'getTransaction', 'no answer'))
    expect(await time.read(rpc, signal)).toMatchObject({ sequence: 1_000 })
    expect(time.secondsPerLedger).toBe(5)
    await time.read(rpc, signal)
    expect(time.secondsPerLedger).toBe(1)
  })
})

describe('the next close', () => {
  test('is now when the close of the latest ledger was not observed', async () => {
    const clock = new FakeClock(0)
    const time = new NetworkTime(clock)
    time.observe({ sequence: 10, closeTime: 1_000 })
    await clock.advance(1_200)
    expect(time.nextCloseAt).toBe(clock.now())
  })

  test('is one ledger after an observed close, less a second', async () => {
    const clock = new FakeClock(0)
    const time = new NetworkTime(clock)
    time.observe({ sequence: 10, closeTime: 1_000 })
    await clock.advance(200)
    time.observe({ sequence: 11, closeTime: 1_005 })
    await clock.advance(3_000)
    expect(time.nextCloseAt).toBe(4_200)
  })
})

describe('fingerprintOf', () => {
  const requirements = { scheme: 'exact', network: 'stellar:testnet', amount: '1' }
  const request = (over: object = {}) => ({
    x402Version: 2,
    paymentPayload: { x402Version: 2, accepted: requirements, payload: { transaction: 'AAAA' } },
    paymentRequirements: { ...requirements, ...over },
  })
  const print = (body: object) => fingerprintOf(paymentRequestSchema.parse(body))

  test('is the same whatever order the members come in', () => {
    const shuffled = { amount: '1', network: 'stellar:testnet', scheme: 'exact' }
    const { paymentPayload } = request()
    const other = { paymentRequirements: shuffled, paymentPayload, x402Version: 2 }
    expect(print(other)).toBe(print(request()))
  })

  test('differs when any member differs, known or not', () => {
    const prints = [request(), request({ amount: '2' }), request({ note: 'x' })].map(print)
    expect(new Set(prints).size).toBe(3)
  })

  // A payment may be under way while the service is upgraded: its repeat must still be one.
  const url = 'https://seller.example/weather'
  const noneOf = { description: null, mimeType: null, serviceName: null, tags: null, iconUrl: null }
  const described = { url, description: 'Weather', tags: ['a'], note: null, deep: { tags: null } }
  const input = { type: 'http', method: 'GET', tags: null }
  const extensions = { bazaar: { info: { input }, schema: {} }, other: null }
  test.each([
    ['no resource', {}, '40f5af50908d258703b5ab0c0f0870a3ff925896733b9a4ba6fcc115adc70e79'],
    [
      'null as the resource and the extensions',
      { resource: null, extensions: null },
      '40f5af50908d258703b5ab0c0f0870a3ff925896733b9a4ba6fcc115adc70e79',
    ],
    [
      'null in a resource',
      { resource: { url, ...noneOf } },
      'fdc762a8ff11bf35e458051de4a1caf6e88f97a73e54506c937353afb18920b4',
    ],
    [
      'a resource',
      { resource: described },
      '9932b0116ab9459543cf99f609780fe38c1c28a4f494ac98e586d3440fc11e01',
    ],
    [
      'extensions',
      { resource: { url }, extensions },
      '12322658a9065acc891ae6d188cdb304feacf7c2ee36251d13e00737dfaf48a7',
    ],
    [
      'empty extensions',
      { extensions: {} },
      'e2f366afd0d8641faa2ac550b4b1137c34da769fa8368d66d7960c8ec5978c03',
    ],
  ])('of a payment with %s is as in earlier versions', (_, members, fingerprint) => {
    const { paymentPayload, ...rest } = request()
    expect(print({ ...rest, paymentPayload: { ...paymentPayload, ...members } })).toBe(fingerprint)
  })
})
