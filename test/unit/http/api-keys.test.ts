import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { ApiKeys } from '../../../src/http/api-keys.ts'
import { KeyGate } from '../../../src/http/key-gate.ts'

const digestOf = (key: string) => createHash('sha256').update(key).digest('hex')
const KEY = 'svc_first'
const OTHER = 'svc_second'

describe('a request is identified', () => {
  const keys = new ApiKeys([digestOf(KEY), digestOf(OTHER)])

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
    expect(new ApiKeys().identify({ 'x-api-key': KEY })).toBeUndefined()
  })

  test('not by an empty key, although its digest is listed', () => {
    const careless = new ApiKeys([digestOf('')])
    expect(careless.identify({ 'x-api-key': '' })).toBeUndefined()
    expect(careless.identify({ authorization: 'Bearer ' })).toBeUndefined()
  })

  test('by the keys known now, not by those of before', () => {
    const changing = new ApiKeys([digestOf(KEY)])
    changing.replace([digestOf(OTHER)])
    expect(changing.identify({ 'x-api-key': KEY })).toBeUndefined()
    expect(changing.identify({ 'x-api-key': OTHER })).toBe(digestOf(OTHER))
  })
})

describe('the gate', () => {
  const gate = new KeyGate({
    keys: new ApiKeys([digestOf(KEY)]),
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
