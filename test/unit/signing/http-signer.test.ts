import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { openHttpSigner } from '../../../src/signing/http/http-signer.ts'
import { problemOfError } from '../../../src/signing/http/problems.ts'
import type { KeyService } from '../../../src/signing/key-service.ts'
import { SignerError, type SigningRequest } from '../../../src/stellar/accounts/envelope-signer.ts'
import { randomSigner } from '../../../src/stellar/accounts/signer.ts'

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void

const request: SigningRequest = {
  network: 'stellar:testnet',
  purpose: 'settlement',
  kind: 'transaction',
  envelopeXdr: 'AAAA',
  hash: new Uint8Array(32),
}
const announcement: SigningRequest = {
  network: 'stellar:testnet',
  purpose: 'announcement',
  kind: 'message',
  message: 'Hello',
  hash: new Uint8Array(32),
}
const signature = Buffer.alloc(64, 7).toString('base64')
const never = new AbortController().signal

let opened: AsyncDisposableStack
let answer: Answer
let service: KeyService
let asked: { readonly url: string | undefined; readonly body: string }[]

beforeEach(async () => {
  opened = new AsyncDisposableStack()
  asked = []
  const folder = await mkdtemp(join(tmpdir(), 'svc-signer-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const server = createServer((incoming, response) => {
    let body = ''
    incoming.setEncoding('utf8').on('data', (part: string) => {
      body += part
    })
    incoming.on('end', () => {
      asked.push({ url: incoming.url, body })
      answer(incoming, response, body)
    })
  })
  const socketPath = join(folder, 'signer.sock')
  server.listen(socketPath)
  await once(server, 'listening')
  opened.defer(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  service = opened.use(openHttpSigner({ kind: 'http', endpoint: { socketPath } }))
})
afterEach(() => opened.disposeAsync())

const json =
  (body: unknown, status = 200, headers = {}): Answer =>
  (_, response) => {
    response.writeHead(status, headers)
    response.end(JSON.stringify(body))
  }
const signed = { signature }

describe('a request', () => {
  it('has what is to be signed, and no hash', async () => {
    answer = json({ results: [signed, { refused: { code: 'message', reason: 'no' } }] })
    const results = await service.sign([request, announcement], never)
    expect(results).toEqual([
      { ok: true, signature: new Uint8Array(64).fill(7) },
      { ok: false, because: 'message: no' },
    ])
    expect(asked.map(({ url, body }) => [url, JSON.parse(body)])).toEqual([
      [
        '/v1/sign',
        {
          requests: [
            {
              network: 'stellar:testnet',
              purpose: 'settlement',
              kind: 'transaction',
              envelope: 'AAAA',
            },
            {
              network: 'stellar:testnet',
              purpose: 'announcement',
              kind: 'message',
              message: 'Hello',
            },
          ],
        },
      ],
    ])
  })

  it('is as large as the service takes: more is asked in parts, in order', async () => {
    answer = (_, response, body) => {
      const results = JSON.parse(body).requests.map(({ envelope }: { envelope: string }) => ({
        refused: { code: String(envelope.length), reason: '' },
      }))
      response.end(JSON.stringify({ results }))
    }
    const sizes = Array.from({ length: 100 }, (_, i) => 170_000 + i)
    const requests = sizes.map((size) => ({ ...request, envelopeXdr: 'A'.repeat(size) }))
    const results = await service.sign(requests, never)
    expect(results).toEqual(sizes.map((size) => ({ ok: false, because: `${size}: ` })))
    expect(asked.length).toBeGreaterThan(1)
    for (const { body } of asked) expect(body.length).toBeLessThan(8 * 1024 * 1024)
  })
})

describe('an answer', () => {
  test.each<[string, string, Answer]>([
    ['invalid', 'fewer results', json({ results: [] })],
    ['invalid', 'more results', json({ results: [signed, signed] })],
    ['invalid', 'a short signature', json({ results: [{ signature: 'AAAA' }] })],
    ['invalid', 'no base64', json({ results: [{ signature: '!'.repeat(88) }] })],
    [
      'invalid',
      'both a signature and a refusal',
      json({ results: [{ ...signed, refused: { code: 'a', reason: 'b' } }] }),
    ],
    ['invalid', 'neither', json({ results: [{}] })],
    ['invalid', 'another shape', json([])],
    ['invalid', 'no JSON', (_, response) => response.end('<html>')],
    ['invalid', 'nothing', (_, response) => response.end()],
    ['invalid', 'too many bytes', (_, response) => response.end(`"${'x'.repeat(200_000)}"`)],
    ['invalid', 'too many values', json(Array.from({ length: 2_000 }, () => 0))],
    ['invalid', 'status 400', json({ error: 'malformed' }, 400)],
    ['invalid', 'status 404', json({}, 404)],
    ['invalid', 'status 413', json({}, 413)],
    ['invalid', 'a redirect', json({ results: [signed] }, 307, { location: '/v1/key' })],
    ['denied', 'status 401', json({}, 401)],
    ['denied', 'status 403', json({}, 403)],
    ['unreachable', 'status 429', json({}, 429, { 'retry-after': '1' })],
    ['unreachable', 'status 500', json({}, 500)],
    [
      'unreachable',
      'status 503 with a long body',
      (_, response) => response.writeHead(503).end('x'.repeat(1_000_000)),
    ],
    ['unreachable', 'a cut connection', (incoming) => incoming.socket.destroy()],
    [
      'unreachable',
      'half an answer',
      (incoming, response) => {
        response.writeHead(200, { 'content-length': '1000' })
        response.write('{', () => incoming.socket.destroy())
      },
    ],
  ])('is %s: %s', async (problem, _, given) => {
    answer = given
    const error: unknown = await service.sign([request], never).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(SignerError)
    expect(error).toMatchObject({ problem })
    expect(asked).toHaveLength(1)
    answer = json({ results: [signed] })
    expect(await service.sign([request], never)).toHaveLength(1)
  })

  test('states a public key', async () => {
    const { address, publicKey } = randomSigner()
    answer = json({ publicKey: address })
    expect(await service.publicKey(never)).toEqual(publicKey)
    for (const wrong of [{}, { publicKey: `${address.slice(0, -1)}!` }, { publicKey: 7 }]) {
      answer = json(wrong)
      await expect(service.publicKey(never)).rejects.toMatchObject({ problem: 'invalid' })
    }
  })

  test('with the signature of something else is passed on: who asks checks it', async () => {
    answer = json({ results: [signed] })
    expect(await service.sign([request], never)).toMatchObject([{ ok: true }])
  })
})

describe('the signal', () => {
  const reason = new Error('enough')
  test.each<[string, Answer]>([
    ['before the answer begins', () => undefined],
    ['within the answer', (_, response) => response.write('{"results":[')],
  ])('ends a request %s, with its own reason', async (_, given) => {
    const ending = new AbortController()
    const arrived = Promise.withResolvers<IncomingMessage>()
    answer = (incoming, response, body) => {
      given(incoming, response, body)
      arrived.resolve(incoming)
    }
    const result = service.sign([request], ending.signal)
    const { socket } = await arrived.promise
    // Not `once`, which takes the reset of the connection for a failure.
    const closed = new Promise((resolve) => socket.once('close', resolve))
    ending.abort(reason)
    await expect(result).rejects.toBe(reason)
    await closed
  })

  test('that has aborted asks nothing', async () => {
    await expect(service.publicKey(AbortSignal.abort(reason))).rejects.toBe(reason)
    expect(asked).toEqual([])
  })
})

test('a service that is not there is unreachable', async () => {
  const endpoint = { socketPath: join(tmpdir(), 'svc-no-such-signer.sock') }
  const away = opened.use(openHttpSigner({ kind: 'http', endpoint }))
  await expect(away.publicKey(never)).rejects.toMatchObject({
    problem: 'unreachable',
    message: 'no answer from the key service: ENOENT',
  })
})

test.each([
  ['denied', 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'],
  ['denied', 'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA'],
  ['denied', 'ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE'],
  ['denied', 'ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED'],
  ['unreachable', 'ERR_SSL_WRONG_VERSION_NUMBER'],
  ['unreachable', 'SELF_SIGNED_CERT_IN_CHAIN'],
  ['unreachable', 'ECONNRESET'],
])('is %s: a connection that ends with %s', (problem, code) => {
  const cause = Object.assign(new Error('x'), { code })
  expect(problemOfError(new Error('fetch failed', { cause }))).toMatchObject({ problem })
})
