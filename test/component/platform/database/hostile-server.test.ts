/** Whoever owns a pool runs its database: what that answers may fail the query, and neither end the process nor fill its memory. */
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore } from '../../../../src/platform/database/open.ts'
import { freshDatabase, type TestDatabase } from '../../../support/postgres.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

test('an answer that is too large fails its query, and the next one has a connection', async () => {
  const limits = { poolSize: 1, maxAnswerBytes: 100_000 }
  await using store = await openStore({ kind: 'postgres', url: database.url, ...limits })
  const ask = (length: number) =>
    sql<{ text: string }>`select repeat('x', ${length}) as text`.execute(store.db)
  await expect(ask(1_000_000)).rejects.toMatchObject({
    name: 'StoreUnavailable',
    message: expect.stringContaining('of more than 100000 bytes'),
  })
  // Each counts for itself.
  for (let query = 0; query < 4; query++) expect((await ask(60_000)).rows).toHaveLength(1)
  await expect(sql`select from generate_series(1, 100000)`.execute(store.db)).rejects.toMatchObject(
    { name: 'StoreUnavailable' },
  )
})

test.each([
  { what: 'an authentication that pg does not know', bytes: [0x52, 0, 0, 0, 8, 0, 0, 0, 99] },
  { what: 'a message in the middle of nothing', bytes: [0x44, 0, 0, 0, 6, 0, 0] },
  { what: 'a length below its own', bytes: [0x53, 0, 0, 0, 0, 0x53, 0, 0, 0, 0] },
])('a server that sends $what fails the query alone', async ({ bytes }) => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(Buffer.from(bytes)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `postgres://svc:secret@127.0.0.1:${port}/x402`
  await using store = await openStore({ kind: 'postgres', url, connectTimeoutMs: 60_000 })
  await expect(store.ping()).rejects.toThrow()
  for (const socket of sockets) socket.destroy()
  await new Promise((resolve) => server.close(resolve))
})

test('a server that says without end that it is ready loses the connection', async () => {
  const ready = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])
  const accepted = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0])
  const closed = Promise.withResolvers<number>()
  const server = createServer((socket) => {
    socket.on('error', () => undefined).on('close', () => closed.resolve(socket.bytesWritten))
    socket.once('data', () => {
      socket.write(Buffer.concat([accepted, ready]))
      // Of the queries none is answered.
      const many = Buffer.concat(Array.from({ length: 10_000 }, () => ready))
      const flood = () => {
        while (socket.writable && socket.write(many));
      }
      socket.on('drain', flood).once('data', flood)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `postgres://svc:secret@127.0.0.1:${port}/x402`
  const limits = { poolSize: 1, connectTimeoutMs: 60_000, maxAnswerBytes: 100_000 }
  await using store = await openStore({ kind: 'postgres', url, ...limits })
  await store.ping().catch(() => undefined)
  // What fits into the buffers of the sockets, and no ten seconds of it, after which an idle connection ends anyway.
  expect(await closed.promise).toBeLessThan(20_000_000)
  await new Promise((resolve) => server.close(resolve))
})

const errorOf = (severity: string, code: string) => {
  const fields = Buffer.from(`S${severity}\0C${code}\0Mno\0\0`)
  return Buffer.concat([Buffer.from([0x45, 0, 0, 0, 4 + fields.length]), fields])
}
const letIn = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49])
const isReady = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])
const QUERY = 0x51
const notice = Buffer.from([0x4e, 0, 0, 0, 5, 0])

/** A server that never closes a connection: what it sends first, and for each query. */
async function clingingServer(first: Buffer, answer: Buffer) {
  const ended = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<void>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined).on('close', () => closed.resolve())
    socket.once('data', () => {
      socket.write(first)
      // A goodbye gets no answer, for which this side would close at once.
      socket.on('data', (data) => data[0] === QUERY && socket.write(answer))
    })
    socket.once('end', () => {
      ended.resolve()
      // Fails once the other side has closed its socket too.
      const writing = setInterval(() => socket.write(notice), 5)
      socket.on('close', () => clearInterval(writing))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `postgres://svc:secret@127.0.0.1:${port}/x402`,
    ended: ended.promise,
    closed: closed.promise,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

test('a connection that this side ends is closed although the server never closes it', async () => {
  const server = await clingingServer(letIn, Buffer.concat([errorOf('ERROR', '57014'), isReady]))
  const limits = { poolSize: 1, connectTimeoutMs: 60_000, goodbyeMs: 20 }
  await using store = await openStore({ kind: 'postgres', url: server.url, ...limits })
  await expect(store.ping()).rejects.toMatchObject({ name: 'StoreUnavailable' })
  await server.ended
  await server.closed
  await server.close()
})

test('a connection that the server refuses is closed although the server never closes it', async () => {
  const server = await clingingServer(errorOf('FATAL', '28P01'), Buffer.alloc(0))
  const limits = { poolSize: 1, connectTimeoutMs: 60_000 }
  await using store = await openStore({ kind: 'postgres', url: server.url, ...limits })
  await expect(store.ping()).rejects.toMatchObject({ name: 'StoreUnavailable' })
  await server.closed
  await server.close()
})

const authentication = (kind: number, text: string) => {
  const body = Buffer.from(text)
  const head = Buffer.from([0x52, 0, 0, 0, 0, 0, 0, 0, kind])
  head.writeUInt32BE(8 + body.length, 1)
  return Buffer.concat([head, body])
}

test('a server that has a key derived again and again loses the connection', async () => {
  const closed = Promise.withResolvers<void>()
  const server = createServer((socket) => {
    socket.on('error', () => undefined).on('close', () => closed.resolve())
    socket.once('data', () => {
      socket.write(authentication(10, 'SCRAM-SHA-256\0\0'))
      socket.once('data', (first) => {
        const [, nonce = ''] = /r=([^,\0]+)/.exec(first.toString('latin1')) ?? []
        const challenge = authentication(11, `r=${nonce}x,s=AAAA,i=4096`)
        socket.write(Buffer.concat(Array.from({ length: 50 }, () => challenge)))
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `postgres://svc:secret@127.0.0.1:${port}/x402`
  await using store = await openStore({ kind: 'postgres', url, connectTimeoutMs: 60_000 })
  await expect(store.ping()).rejects.toThrow('asked for the password more than once')
  await closed.promise
  await new Promise((resolve) => server.close(resolve))
})

/** @param columns the number of columns, of which each has an empty name and these bytes after it */
const announcement = (columns: number, attributes = Buffer.alloc(18)) => {
  const column = Buffer.concat([Buffer.from([0]), attributes])
  const count = Buffer.alloc(2)
  count.writeInt16BE(columns)
  return message('T', Buffer.concat([count, ...Array.from({ length: columns }, () => column)]))
}
const message = (kind: string, body: Buffer) => {
  const head = Buffer.from(`${kind}\0\0\0\0`)
  head.writeUInt32BE(4 + body.length, 1)
  return Buffer.concat([head, body])
}
const emptyRow = message('D', Buffer.from([0, 0]))
const shortRow = message('D', Buffer.from([0, 1, 0, 0, 0, 0]))
const longTime = Buffer.concat([Buffer.from([0, 1, 0, 0, 4, 0]), Buffer.alloc(1_024, '1')])
/** A column of the type `timestamp with time zone`. */
const time = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 4, 160, 0, 0, 0, 0, 0, 0, 0, 0])
const binary = Buffer.from([...Array.from({ length: 17 }, () => 0), 1])
const times = (count: number, part: Buffer) =>
  Buffer.concat(Array.from({ length: count }, () => part))

// 7 bytes of a row would become an object with 20,000 members.
test.each([
  {
    what: 'rows of very many columns',
    sent: [announcement(20_000), times(60, emptyRow)],
    because: 'a row of more than 128 columns',
  },
  {
    what: 'rows without the columns that it announced',
    sent: [announcement(100), emptyRow],
    because: 'a row that has other columns than announced',
  },
  {
    what: 'very many rows',
    sent: [announcement(1), times(10_001, shortRow)],
    because: 'more than 10000 messages of the kind D',
  },
  {
    what: 'very many results',
    sent: [times(9, announcement(1))],
    because: 'more than 8 messages of the kind T',
  },
  {
    what: 'very many notices',
    sent: [times(1_001, notice)],
    because: 'more than 1000 messages of the kind N',
  },
  {
    what: 'a time of 1 KiB',
    sent: [announcement(1, time), message('D', longTime)],
    because: 'a number or a time that is too long',
  },
  {
    what: 'an array in binary format',
    sent: [announcement(1, binary)],
    because: 'a column in binary format',
  },
  {
    what: 'what answers nothing',
    sent: [message('G', Buffer.from([0]))],
    because: 'answers nothing',
  },
])('a server that sends $what loses the connection', async ({ sent, because }) => {
  const server = await clingingServer(letIn, Buffer.concat([...sent, isReady]))
  const limits = { poolSize: 1, connectTimeoutMs: 60_000, maxAnswerBytes: 1024 * 1024 }
  {
    await using store = await openStore({ kind: 'postgres', url: server.url, ...limits })
    await expect(sql`select`.execute(store.db)).rejects.toThrow(because)
    await server.closed
  }
  await server.close()
})
