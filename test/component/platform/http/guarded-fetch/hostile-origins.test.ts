import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { fetcher, local, names, origin, rawOrigin } from './origins.ts'

/** Writes a part every few milliseconds until the other side is gone. */
const drip = (socket: Socket, part: string): void => {
  const timer = setInterval(() => socket.write(part), 5)
  socket.once('close', () => clearInterval(timer))
}

const hurried = () => fetcher({ allowLoopback: true, timeLimitMs: 300 })

describe('an origin that never ends', () => {
  test.each([
    [
      'drips its headers',
      (socket: Socket) => {
        socket.write('HTTP/1.1 402 X\r\nx-long: ')
        drip(socket, 'h')
      },
    ],
    [
      'drips its body',
      (socket: Socket) => {
        socket.write('HTTP/1.1 402 X\r\ncontent-length: 60000\r\n\r\n')
        drip(socket, 'b')
      },
    ],
    [
      'drips empty extensions of a chunk',
      (socket: Socket) => {
        socket.write('HTTP/1.1 402 X\r\ntransfer-encoding: chunked\r\n\r\n1')
        drip(socket, ';a')
      },
    ],
    [
      'announces early hints for ever',
      (socket: Socket) => drip(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'),
    ],
    ['says nothing', () => undefined],
  ])('and %s is left at the time limit', async (_, answer) => {
    const closed = Promise.withResolvers<void>()
    const url = await rawOrigin((socket) => {
      socket.once('close', () => closed.resolve())
      answer(socket)
    })
    expect(await hurried().fetch(url)).toMatchObject({ kind: 'timeout' })
    await closed.promise
  })

  test('is left when the caller gives up', async () => {
    const url = await rawOrigin(() => undefined)
    expect(await local().fetch(url, { signal: AbortSignal.abort() })).toMatchObject({
      kind: 'unreachable',
    })
  })

  test('and whose name servers do not answer is left at the time limit', async () => {
    const guarded = fetcher({ timeLimitMs: 50, resolve: () => new Promise(() => undefined) })
    expect(await guarded.fetch(new URL('http://seller.example/'))).toMatchObject({
      kind: 'timeout',
    })
  })
})

describe('an origin that says too much', () => {
  test.each([
    ['one long header', `x-long: ${'x'.repeat(70_000)}\r\n`],
    ['many short headers', 'x-a: b\r\n'.repeat(20_000)],
    ['trailers', null],
  ])('in %s is cut off', async (_, headers) => {
    const chunked = 'transfer-encoding: chunked\r\n'
    const url = await rawOrigin((socket) => {
      socket.write(`HTTP/1.1 402 X\r\n${headers ?? chunked}\r\n`)
      if (headers === null) socket.write(`1\r\na\r\n0\r\n${'x-a: b\r\n'.repeat(20_000)}\r\n`)
    })
    expect(await local().fetch(url)).toEqual({
      kind: 'too_large',
      reason: 'The answer has a header of more than 65536 bytes.',
    })
  })

  test('in a header of 40 KiB is read', async () => {
    const { url } = await origin((_, answer) =>
      answer.writeHead(402, { 'payment-required': 'x'.repeat(40_000) }).end(),
    )
    expect(await local().fetch(url)).toMatchObject({ status: 402 })
  })

  test('in chunks without end is cut off', async () => {
    const url = await rawOrigin((socket) => {
      socket.write('HTTP/1.1 402 X\r\ntransfer-encoding: chunked\r\n\r\n')
      const chunk = `1000\r\n${'x'.repeat(4096)}\r\n`
      const more = () => {
        while (!socket.destroyed && socket.write(chunk));
      }
      socket.on('drain', more)
      more()
    })
    expect(await local().fetch(url)).toMatchObject({ kind: 'too_large' })
  })

  test('behind a length that it does not keep to is no answer', async () => {
    const url = await rawOrigin((socket) =>
      socket.end('HTTP/1.1 402 X\r\ncontent-length: 10\r\n\r\nshort'),
    )
    expect(await local().fetch(url)).toMatchObject({ kind: 'unreachable' })
  })
})

describe('a request', () => {
  test('opens a connection of its own, so that each is to an address that was vetted for it', async () => {
    const ports = new Set<number | undefined>()
    const { url } = await origin((request, answer) => {
      ports.add(request.socket.remotePort)
      answer.writeHead(402, { connection: 'keep-alive', 'keep-alive': 'timeout=60' }).end('pay')
    })
    const guarded = local()
    for (let i = 0; i < 3; i += 1) expect(await guarded.fetch(url)).toMatchObject({ status: 402 })
    expect(ports.size).toBe(3)
  })

  test('asks for no upgrade, and takes none', async () => {
    const url = await rawOrigin((socket) =>
      socket.write('HTTP/1.1 101 Switching\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'),
    )
    expect(await local().fetch(url)).toMatchObject({ kind: 'unreachable' })
  })

  test.each([301, 302, 303, 307, 308])('follows no redirect with status %i', async (status) => {
    const { url, seen } = await origin((_, answer) =>
      answer.writeHead(status, { location: 'http://169.254.169.254/', refresh: '0; url=/' }).end(),
    )
    expect(await local().fetch(url)).toMatchObject({ status })
    expect(seen).toHaveLength(1)
  })

  test.each([
    ['//169.254.169.254/', '//169.254.169.254/'],
    ['/http://169.254.169.254/', '/http://169.254.169.254/'],
    ['/\\169.254.169.254\\', '//169.254.169.254/'],
    ['/a\r\nhost: internal\r\n\r\n', '/ahost:%20internal'],
    ['/a%0d%0ahost:%20internal', '/a%0d%0ahost:%20internal'],
  ])('for the path %j stays with its host', async (path, requested) => {
    const { url, seen } = await origin((_, answer) => answer.end())
    expect(await local().fetch(new URL(`${url.origin}${path}`))).toMatchObject({ status: 200 })
    expect(seen[0]).toMatchObject({ url: requested, headers: { host: url.host } })
  })

  test('carries its body and no more', async () => {
    const bodies: string[] = []
    const { url } = await origin(async (request, answer) => {
      let body = ''
      for await (const part of request) body += part
      bodies.push(body)
      answer.writeHead(402).end()
    })
    await local().fetch(url, { method: 'POST', body: '{}' })
    expect(bodies).toEqual(['{}'])
  })
})

describe('a URL', () => {
  test.each([
    ['http://user:secret@seller.example/', 'The URL contains a user name or a password.'],
    ['http://user@seller.example/', 'The URL contains a user name or a password.'],
    ['http://seller.example:25/', 'Port 25 belongs to another protocol than HTTP.'],
    ['http://seller.example:22/', 'Port 22 belongs to another protocol than HTTP.'],
    ['http://seller.example:6667/', 'Port 6667 belongs to another protocol than HTTP.'],
    ['http://seller.example:0/', 'Port 0 belongs to another protocol than HTTP.'],
    ['http://localhost/', 'localhost is not a public name.'],
    ['http://sub.localhost./', 'sub.localhost. is not a public name.'],
    ['http://postgres/', 'postgres is not a public name.'],
    ['http://svc.ns.svc.cluster.local/', 'svc.ns.svc.cluster.local is not a public name.'],
    ['http://metadata.google.internal/', 'metadata.google.internal is not a public name.'],
    ['http://router.home.arpa/', 'router.home.arpa is not a public name.'],
    ['http://127.0.0.1./', '127.0.0.1 is not a public address.'],
    ['http://127\u30020\u30020\u30021/', '127.0.0.1 is not a public address.'],
    ['http://\uff11\uff12\uff17.0.0.1/', '127.0.0.1 is not a public address.'],
    ['http://168.63.129.16/', '168.63.129.16 is not a public address.'],
  ])('%s is refused before its name is looked up', async (url, reason) => {
    const looked: string[] = []
    const resolve = async (hostname: string) => {
      looked.push(hostname)
      return []
    }
    expect(await fetcher({ resolve }).fetch(new URL(url))).toEqual({ kind: 'unsafe', reason })
    expect(looked).toEqual([])
  })

  test.each(['http://seller.example:8443/', 'https://seller.example:443/'])(
    '%s is dialled at the vetted address only',
    async (url) => {
      const answer = await fetcher({
        resolve: names({ 'seller.example': ['::ffff:7f00:1'] }),
      }).fetch(new URL(url))
      expect(answer).toEqual({
        kind: 'unsafe',
        reason: 'seller.example leads to an address that is not public.',
      })
    },
  )
})
