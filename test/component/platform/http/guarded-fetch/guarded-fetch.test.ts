import { createServer as createTcpServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { fetcher, listen, local, names, origin } from './origins.ts'

describe('addresses', () => {
  test.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://10.0.0.1/',
    'http://0.0.0.0/',
  ])('refuses %s before it connects', async (url) => {
    const answer = await fetcher().fetch(new URL(url))
    expect(answer).toMatchObject({
      kind: 'unsafe',
      reason: expect.stringContaining('not a public address'),
    })
  })

  test.each(['file:///etc/passwd', 'ftp://example.com/', 'data:text/plain,hello'])(
    'refuses the protocol of %s',
    async (url) => {
      expect(await fetcher().fetch(new URL(url))).toMatchObject({ kind: 'unsafe' })
    },
  )

  test('refuses a name with a private address', async () => {
    const { url, seen } = await origin((_, answer) => answer.end('secret'))
    const answer = await fetcher({ resolve: names({ 'seller.example': ['127.0.0.1'] }) }).fetch(
      new URL(`http://seller.example:${url.port}/`),
    )
    expect(answer).toMatchObject({
      kind: 'unsafe',
      reason: 'seller.example leads to an address that is not public.',
    })
    expect(seen).toEqual([])
  })

  test('refuses a name of which one address of several is private, in either order', async () => {
    for (const addresses of [
      ['8.8.8.8', '10.0.0.1'],
      ['10.0.0.1', '8.8.8.8'],
      ['2606:4700::1', 'fd00::1'],
    ]) {
      const answer = await fetcher({ resolve: names({ 'seller.example': addresses }) }).fetch(
        new URL('http://seller.example/'),
      )
      expect(answer).toMatchObject({ kind: 'unsafe' })
    }
  })

  test('dials what it vetted: a name that changes its address after the lookup gains nothing', async () => {
    const { url, seen } = await origin((_, answer) => answer.end('secret'))
    const answers = [['127.0.0.1'], ['10.0.0.1'], ['10.0.0.1']]
    let lookups = 0
    const rebinding = async () => {
      const addresses = answers[Math.min(lookups, answers.length - 1)] ?? []
      lookups += 1
      return addresses.map((address) => ({ address, family: 4 }))
    }
    const target = new URL(`http://seller.example:${url.port}/`)
    const guarded = fetcher({ allowLoopback: true, resolve: rebinding })
    expect(await guarded.fetch(target)).toMatchObject({ status: 200 })
    expect(lookups).toBe(1)
    expect(await guarded.fetch(target)).toMatchObject({ kind: 'unsafe' })
    expect(lookups).toBe(2)
    expect(seen).toHaveLength(1)
  })

  test('says that a name does not exist', async () => {
    const missing = async () => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })
    }
    expect(await fetcher({ resolve: missing }).fetch(new URL('http://seller.example/'))).toEqual({
      kind: 'unreachable',
      reason: 'seller.example could not be reached (ENOTFOUND).',
    })
  })
})

describe('answers', () => {
  test('returns status, headers and body', async () => {
    const { url, seen } = await origin((_, answer) =>
      answer.writeHead(402, { 'x-price': '7' }).end('pay'),
    )
    const answer = await local().fetch(new URL('/a?b=c', url), {
      method: 'POST',
      headers: { accept: 'application/json' },
    })
    expect(answer).toMatchObject({ status: 402, headers: { 'x-price': '7' } })
    expect('body' in answer && Buffer.from(answer.body).toString()).toBe('pay')
    expect(seen[0]).toMatchObject({
      method: 'POST',
      url: '/a?b=c',
      headers: { accept: 'application/json' },
    })
  })

  test('follows no redirect', async () => {
    const { url, seen } = await origin((_, answer) =>
      answer.writeHead(302, { location: '/elsewhere' }).end(),
    )
    expect(await local().fetch(url)).toMatchObject({ status: 302 })
    expect(seen).toHaveLength(1)
  })

  test('decompresses nothing, so that a small answer stays small', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000))
    const { url } = await origin((_, answer) =>
      answer.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    )
    const answer = await local().fetch(url)
    expect('body' in answer && answer.body.length).toBe(bomb.length)
  })

  test('ends a body at its limit, declared or not', async () => {
    const { url } = await origin((_, answer) => {
      answer.write('x'.repeat(70_000))
      answer.end()
    })
    expect(await local().fetch(url)).toEqual({
      kind: 'too_large',
      reason: 'The answer has a body of more than 65536 bytes.',
    })
  })

  test('ends a request whose server never answers, or never ends its answer', async () => {
    const silent = createTcpServer((socket) => socket.resume())
    const silentUrl = await listen(silent)
    const { url } = await origin((_, answer) => answer.writeHead(200).write('first'))
    const guarded = fetcher({ allowLoopback: true, timeLimitMs: 50 })
    for (const target of [silentUrl, url]) {
      expect(await guarded.fetch(target)).toMatchObject({
        kind: 'timeout',
        reason: expect.stringContaining('within 50 ms'),
      })
    }
  })

  test('says that a server refuses connections, or speaks no HTTP', async () => {
    const closed = createTcpServer()
    const url = await listen(closed)
    await new Promise((resolve) => closed.close(resolve))
    expect(await local().fetch(url)).toMatchObject({
      kind: 'unreachable',
      reason: expect.stringContaining('ECONNREFUSED'),
    })
    const nonsense = createTcpServer((socket) => socket.end('hello\r\n\r\n'))
    expect(await local().fetch(await listen(nonsense))).toMatchObject({ kind: 'unreachable' })
  })
})
