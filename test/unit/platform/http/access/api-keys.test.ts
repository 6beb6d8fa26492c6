import { describe, expect, test } from 'vitest'
import { ApiKeys } from '../../../../../src/platform/http/access/api-keys.ts'
import { KeyGate } from '../../../../../src/platform/http/access/key-gate.ts'
import { acceptedKeys, digestOf } from '../../../../support/api-keys.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'

const KEY = 'svc_first'
const OTHER = 'svc_second'

describe('a request is identified', () => {
  const keys = acceptedKeys(KEY, OTHER)

  test.each<{ when: string; headers: Record<string, string>; key: string | undefined }>([
    { when: 'by a bearer token', headers: { authorization: `Bearer ${KEY}` }, key: KEY },
    { when: 'by the second key', headers: { authorization: `Bearer ${OTHER}` }, key: OTHER },
    {
      when: 'by a scheme in other letters',
      headers: { authorization: `bEARER  ${KEY} ` },
      key: KEY,
    },
    { when: 'by X-API-Key', headers: { 'x-api-key': KEY }, key: KEY },
    {
      when: 'by X-API-Key beside the token of a proxy',
      headers: { authorization: 'Bearer another-key', 'x-api-key': KEY },
      key: KEY,
    },
    {
      when: 'by a bearer token beside another X-API-Key',
      headers: { authorization: `Bearer ${KEY}`, 'x-api-key': 'nonsense' },
      key: KEY,
    },
    { when: 'not without a key', headers: {}, key: undefined },
    { when: 'not by an empty key', headers: { 'x-api-key': '' }, key: undefined },
    { when: 'not by an unknown key', headers: { 'x-api-key': 'svc_third' }, key: undefined },
    {
      when: 'not by the digest itself',
      headers: { 'x-api-key': digestOf(KEY) },
      key: undefined,
    },
    { when: 'not by another scheme', headers: { authorization: `Basic ${KEY}` }, key: undefined },
    { when: 'not by a bare key', headers: { authorization: KEY }, key: undefined },
    {
      when: 'not by two keys in one header',
      headers: { 'x-api-key': `${KEY}, ${OTHER}` },
      key: undefined,
    },
  ])('$when', ({ headers, key }) => {
    expect(keys.identify(headers)).toBe(key === undefined ? undefined : digestOf(key))
  })

  test('by no key at all when none is known', () => {
    expect(acceptedKeys().identify({ 'x-api-key': KEY })).toBeUndefined()
  })

  test('not by an empty key, although its digest is listed', () => {
    const careless = acceptedKeys('')
    expect(careless.identify({ 'x-api-key': '' })).toBeUndefined()
    expect(careless.identify({ authorization: 'Bearer ' })).toBeUndefined()
  })

  test('by the keys known now, not by those of before', () => {
    const changing = acceptedKeys(KEY)
    changing.replace([{ digest: digestOf(OTHER) }])
    expect(changing.identify({ 'x-api-key': KEY })).toBeUndefined()
    expect(changing.identify({ 'x-api-key': OTHER })).toBe(digestOf(OTHER))
  })
})

describe('a key with a time of validity', () => {
  const HOUR = 3_600_000

  function rotating() {
    const clock = new FakeClock()
    const now = clock.now()
    const keys = new ApiKeys(clock, [
      { digest: digestOf(KEY), name: 'old', until: now + 2 * HOUR },
      { digest: digestOf(OTHER), name: 'new', from: now + HOUR },
    ])
    const gate = new KeyGate({ keys, networks: new Set(['stellar:pubnet']) })
    const accepted = () =>
      [KEY, OTHER].map((key) => keys.identify({ 'x-api-key': key }) !== undefined)
    return { clock, now, keys, gate, accepted }
  }

  test('is accepted from its start to its end, and both are while they overlap', async () => {
    const { clock, accepted } = rotating()
    expect(accepted()).toEqual([true, false])
    await clock.advance(HOUR)
    expect(accepted()).toEqual([true, true])
    await clock.advance(HOUR - 1)
    expect(accepted()).toEqual([true, true])
    await clock.advance(1)
    expect(accepted()).toEqual([false, true])
  })

  test('lets a request with both keys pass by the valid one, whichever header it is in', async () => {
    const { clock, keys } = rotating()
    const both = [
      { authorization: `Bearer ${KEY}`, 'x-api-key': OTHER },
      { authorization: `Bearer ${OTHER}`, 'x-api-key': KEY },
    ]
    expect(both.map((headers) => keys.identify(headers))).toEqual([digestOf(KEY), digestOf(KEY)])
    await clock.advance(2 * HOUR)
    expect(both.map((headers) => keys.identify(headers))).toEqual([
      digestOf(OTHER),
      digestOf(OTHER),
    ])
  })

  test('is refused with the time when it starts, or ended', async () => {
    const { clock, now, gate } = rotating()
    const at = (ms: number) => new Date(now + ms).toISOString()
    const reasonFor = (key: string) => {
      try {
        gate.admit('stellar:pubnet', { 'x-api-key': key })
      } catch (error) {
        return (error as Error).message
      }
      return 'admitted'
    }
    const needs = 'stellar:pubnet needs a valid API key'
    expect(reasonFor(OTHER)).toBe(`${needs}: this one is valid from ${at(HOUR)} on`)
    await clock.advance(2 * HOUR)
    expect(reasonFor(KEY)).toBe(`${needs}: this one was valid until ${at(2 * HOUR)}`)
    expect(reasonFor('unknown')).toBe(needs)
    expect(reasonFor(OTHER)).toBe('admitted')
  })

  test('has its last use remembered, accepted or not, also after it was replaced', async () => {
    const { clock, now, keys } = rotating()
    expect(keys.takeUses()).toEqual([])
    keys.identify({ 'x-api-key': KEY })
    await clock.advance(10)
    keys.identify({ 'x-api-key': OTHER })
    keys.identify({ 'x-api-key': 'unknown' })
    keys.replace([])
    await clock.advance(10)
    keys.identify({ 'x-api-key': KEY })
    expect(keys.takeUses()).toEqual([
      { digest: digestOf(KEY), name: 'old', usedAt: now },
      { digest: digestOf(OTHER), name: 'new', usedAt: now + 10 },
    ])
  })
})

describe('the gate', () => {
  const gate = new KeyGate({
    keys: acceptedKeys(KEY),
    networks: new Set(['stellar:pubnet']),
  })

  test('needs no key on a network without keys', () => {
    expect(() => gate.admit('stellar:testnet', {})).not.toThrow()
  })

  test('admits a known key', () => {
    expect(() => gate.admit('stellar:pubnet', { 'x-api-key': KEY })).not.toThrow()
  })

  test.each([{}, { 'x-api-key': 'unknown' }])('refuses %o', (headers) => {
    const admit = () => gate.admit('stellar:pubnet', headers)
    expect(admit).toThrow(expect.objectContaining({ code: 'unauthorized', status: 401 }))
  })
})
