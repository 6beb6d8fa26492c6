import { describe, expect, test } from 'vitest'
import { baseUrlOf } from '../../../../src/platform/http/base-url.ts'

describe('baseUrlOf', () => {
  test.each<{ when: string; hops: number; headers: Record<string, string>; url?: string }>([
    {
      when: 'takes the host of a direct request',
      hops: 0,
      headers: { host: 'Facilitator.example:8080' },
      url: 'http://facilitator.example:8080',
    },
    { when: 'takes IPv6', hops: 0, headers: { host: '[::1]:8080' }, url: 'http://[::1]:8080' },
    { when: 'needs a host', hops: 0, headers: {} },
    { when: 'refuses markup', hops: 0, headers: { host: 'a"><script>' } },
    { when: 'refuses quotes', hops: 0, headers: { host: "a'b" } },
    { when: 'refuses a path', hops: 0, headers: { host: 'a.example/b' } },
    { when: 'refuses user data', hops: 0, headers: { host: 'a@b.example' } },
    { when: 'refuses a long host', hops: 0, headers: { host: 'a'.repeat(300) } },
    {
      when: 'does not guess what an undeclared proxy changed',
      hops: 0,
      headers: { host: 'a.example', 'x-forwarded-proto': 'https' },
    },
    {
      when: 'ignores what a client says of a proxy that there is not',
      hops: 0,
      headers: { host: 'a.example', 'x-forwarded-host': 'evil.example' },
    },
    {
      when: 'takes scheme and host that the trusted proxy names',
      hops: 1,
      headers: { host: 'pod', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'pay.example' },
      url: 'https://pay.example',
    },
    {
      when: 'takes the host that the trusted proxy left as it was',
      hops: 1,
      headers: { host: 'pay.example', 'x-forwarded-proto': 'https' },
      url: 'https://pay.example',
    },
    {
      when: 'takes what the outermost trusted proxy wrote, and not what its client did',
      hops: 2,
      headers: {
        host: 'pod',
        'x-forwarded-proto': 'http, https, http',
        'x-forwarded-host': 'evil.example, pay.example, inner',
      },
      url: 'https://pay.example',
    },
    {
      when: 'needs a scheme behind a proxy',
      hops: 1,
      headers: { host: 'pay.example' },
    },
    {
      when: 'knows two schemes',
      hops: 1,
      headers: { host: 'pay.example', 'x-forwarded-proto': 'javascript' },
    },
    {
      when: 'does not know the path that a proxy removed',
      hops: 1,
      headers: {
        host: 'pay.example',
        'x-forwarded-proto': 'https',
        'x-forwarded-prefix': '/x402',
      },
    },
  ])('$when', ({ hops, headers, url }) => {
    expect(baseUrlOf(headers, hops)).toBe(url)
  })
})
