import { expect, test } from 'vitest'
import { readBaseUrl } from '../../../../src/explorer/registry/base-url.ts'

test.each([
  ['https://x402.example', 'https://x402.example', 'x402.example'],
  ['https://X402.example.//', 'https://x402.example', 'x402.example'],
  ['https://x402.example:443/facilitator/', 'https://x402.example/facilitator', 'x402.example'],
  ['http://x402.example:8080', 'http://x402.example:8080', 'x402.example'],
  ['https://[2606:4700::1]/', 'https://[2606:4700::1]', '2606:4700::1'],
])('%s is read as %s', (text, baseUrl, host) => {
  expect(readBaseUrl(text, false)).toEqual({ ok: true, baseUrl, host })
})

test.each([
  '',
  'x402.example',
  'ftp://x402.example',
  'javascript:alert(1)',
  'https://user:secret@x402.example',
  'https://x402.example/?a=1',
  'https://x402.example/#a',
  'https://x402.example:22',
  'https://10.0.0.1',
  'https://127.0.0.1',
  'https://localhost',
  'https://facilitator',
  'https://facilitator.svc.cluster.local',
  `https://x402.example/${'x'.repeat(300)}`,
])('%s is refused, without repeating a secret', (text) => {
  const read = readBaseUrl(text, false)
  expect(read).toEqual({ ok: false, reason: expect.not.stringContaining('secret') })
})

test('loopback is read where it is allowed', () => {
  expect(readBaseUrl('http://127.0.0.1:4021/', true)).toMatchObject({
    ok: true,
    baseUrl: 'http://127.0.0.1:4021',
  })
})
