import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

/** Servers at the database URL of a ChannelPool that do not speak as Postgres does, one for each attack. */
export interface HostileDatabases extends AsyncDisposable {
  /** By what they do. */
  readonly urls: Readonly<Record<string, string>>
}

const MIB = 1024 * 1024
const accepted = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0])
const ready = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])
/** One row whose length, almost 2 GiB, is in its header. */
const rowOfGigabytes = Buffer.from([0x44, 0x7f, 0xff, 0xff, 0xff])

/** `pg` makes an object with a member for each column of each row: 7 bytes would become 0.8 MB. */
const COLUMNS = 20_000
const rowsOfManyColumns = Buffer.concat([
  Buffer.from([0x54, 0, 5, 0xcc, 0x66, COLUMNS >> 8, COLUMNS & 255]),
  Buffer.alloc(COLUMNS * 19),
  ...Array.from({ length: 10_000 }, () => Buffer.from([0x44, 0, 0, 0, 6, 0, 0])),
])

function messageOf(kind: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(kind, 'latin1')
  head.writeUInt32BE(4 + body.length, 1)
  return Buffer.concat([head, body])
}

/** The type of a field and no text: `pg` would read on for ever. */
const endlessError = messageOf('E', Buffer.from('S'))

/** `pg` would make a result of each of them. */
const end = messageOf('C', Buffer.from('SELECT 1\0'))
const manyEnds = Buffer.concat(Array.from({ length: 70_000 }, () => end))

/** `pg` reads a time with a pattern: the time that it takes is the square of the length. */
const TIMESTAMPTZ = [0, 0, 4, 160]
const timeColumn = Buffer.from([0, 1, 0, 0, 0, 0, 0, 0, 0, ...TIMESTAMPTZ, 0, 0, 0, 0, 0, 0, 0, 0])
const digits = Buffer.alloc(900_000, '1')
const longTime = Buffer.concat([
  messageOf('T', timeColumn),
  messageOf('D', Buffer.concat([Buffer.from([0, 1, 0, 13, 0xbb, 0xa0]), digits])),
])

/** Each piece of a message takes memory besides its bytes. */
const rowInPieces = messageOf('D', Buffer.alloc(1_000_000, 'x'))

const attacks = {
  'says without end that it is ready': (socket) =>
    flood(socket, Buffer.concat(Array.from({ length: 10_000 }, () => ready))),
  'sends a row of 2 GiB': (socket) => {
    socket.write(rowOfGigabytes)
    flood(socket, Buffer.alloc(MIB, 'x'))
  },
  'sends noise': (socket) => flood(socket, randomBytes(MIB)),
  'sends rows of 20,000 columns': (socket) => socket.write(rowsOfManyColumns),
  'sends an error without an end': (socket) => socket.write(endlessError),
  'ends one query 70,000 times': (socket) => socket.write(manyEnds),
  'sends a time of 900,000 digits': (socket) => socket.write(longTime),
  'sends a row a byte at a time': (socket) => trickle(socket.setNoDelay(), rowInPieces),
  'accepts a connection and never answers a query': () => undefined,
} as const satisfies Readonly<Record<string, (socket: Socket) => void>>

function flood(socket: Socket, part: Buffer): void {
  const more = () => {
    while (socket.writable && socket.write(part));
  }
  socket.on('drain', more)
  more()
}

/** Writes a byte at a time. */
function trickle(socket: Socket, bytes: Buffer, at = 0): void {
  if (at >= bytes.length || !socket.writable) return
  socket.write(bytes.subarray(at, at + 1), () => trickle(socket, bytes, at + 1))
}

/** @param host where they listen, and which the URLs name */
export async function startHostileDatabases(host = '127.0.0.1'): Promise<HostileDatabases> {
  const sockets = new Set<Socket>()
  const serverOf = (attack: (socket: Socket) => void) =>
    createServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
      socket.once('data', () => {
        socket.write(Buffer.concat([accepted, ready]))
        socket.once('data', () => attack(socket))
      })
    })
  const servers = Object.entries(attacks).map(([name, attack]) => ({
    name,
    server: serverOf(attack),
  }))
  const urls = await Promise.all(
    servers.map(async ({ name, server }) => [name, await listen(server, host)] as const),
  )
  return {
    urls: Object.fromEntries(urls),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await Promise.all(servers.map(({ server }) => once(server.close(), 'close')))
    },
  }
}

async function listen(server: Server, host: string): Promise<string> {
  await once(server.listen(0, host), 'listening')
  const { port } = server.address() as AddressInfo
  return `postgres://svc:secret@${host}:${port}/x402`
}
