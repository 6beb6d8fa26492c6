import { EventEmitter } from 'node:events'
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { boundConnections } from '../../../../../src/platform/http/server/connections.ts'
import { whenOver } from '../../../../../src/platform/http/server/when-over.ts'

class FakeSocket extends EventEmitter {
  readonly remoteAddress: string
  isOpen = true

  constructor(remoteAddress: string) {
    super()
    this.remoteAddress = remoteAddress
  }

  destroy(): void {
    this.isOpen = false
    this.emit('close')
  }
}

function open(bounds: { inAll: number; ofAddress: number }) {
  const server = new EventEmitter()
  boundConnections(server as Server, bounds)
  const arrive = (address: string): FakeSocket => {
    const socket = new FakeSocket(address)
    server.emit('connection', socket)
    return socket
  }
  const areOpen = (sockets: readonly FakeSocket[]) => sockets.map(({ isOpen }) => isOpen)
  const begin = (socket: FakeSocket, complete = true) => {
    const response = new EventEmitter()
    whenOver(
      { socket: socket as unknown as Socket, complete },
      Object.assign(response, { closed: false }) as unknown as ServerResponse,
      () => {},
    )
    return () => response.emit('close')
  }
  return { arrive, areOpen, begin }
}

test.each([
  { who: 'an address', first: '198.41.0.4', next: '198.41.0.4' },
  { who: 'an address of IPv4 in IPv6', first: '::ffff:198.41.0.4', next: '198.41.0.4' },
  { who: 'a /64', first: '2606:4700:1:2::1', next: '2606:4700:1:2::2' },
])('$who is refused beyond its connections, until it closes one', ({ first, next }) => {
  const { arrive, areOpen } = open({ inAll: 10, ofAddress: 2 })
  const sockets = [arrive(first), arrive(next), arrive(first)]
  expect(areOpen(sockets)).toEqual([true, true, false])
  sockets[0]?.destroy()
  expect(areOpen([arrive(next), arrive(first)])).toEqual([true, false])
})

test.each(['10.0.3.1', '127.0.0.1', '::1', '100.64.0.9', 'fd00::1', 'fe80::1%eth0'])(
  'the balancer, node or proxy %s is not',
  (address) => {
    const { arrive, areOpen } = open({ inAll: 10, ofAddress: 2 })
    expect(areOpen([1, 2, 3, 4].map(() => arrive(address)))).toEqual([true, true, true, true])
  },
)

test('a network that has most connections loses idle ones to those that have fewer, oldest first', () => {
  const { arrive, areOpen, begin } = open({ inAll: 6, ofAddress: 6 })
  const many = [1, 2, 3, 4, 5, 6].map((n) => arrive(`2606:4700:1:${n}::1`))
  begin(many[0] as FakeSocket)
  const end = begin(many[1] as FakeSocket)
  end()
  expect(arrive('2606:4700:1:7::1').isOpen).toBe(false)
  expect(areOpen([arrive('198.41.0.4'), arrive('10.0.3.1')])).toEqual([true, true])
  expect(areOpen(many)).toEqual([true, false, false, true, true, true])
})

test('a request that has not arrived whole keeps no connection', () => {
  const { arrive, areOpen, begin } = open({ inAll: 3, ofAddress: 3 })
  const many = [1, 2, 3].map(() => arrive('198.41.0.4'))
  for (const [index, socket] of many.entries()) begin(socket, index !== 1)
  expect(arrive('198.41.0.5').isOpen).toBe(true)
  expect(areOpen(many)).toEqual([true, false, true])
})

test('nobody is let in while all connections of the largest network have requests', () => {
  const { arrive, begin } = open({ inAll: 3, ofAddress: 3 })
  for (const socket of [1, 2, 3].map(() => arrive('198.41.0.4'))) begin(socket)
  expect(arrive('198.41.0.5').isOpen).toBe(false)
})
