import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { hostResolver } from '../../../../../src/platform/http/guarded-fetch/resolve-host.ts'

const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0))
    await new Promise<void>((resolve) => socket.close(resolve))
})

const A = 1
const AAAA = 28

/** A name server on this machine: the addresses of every name, or no answer at all. */
async function nameServer(records: Partial<Record<number, readonly number[]>> | 'silent') {
  const socket = createSocket('udp4')
  sockets.push(socket)
  socket.on('message', (query, from) => {
    if (records === 'silent') return
    const questionEnd = query.indexOf(0, 12) + 5
    const data = records[query.readUInt16BE(questionEnd - 4)]
    const header = Buffer.from(query.subarray(0, 12))
    header.writeUInt16BE(0x8180, 2)
    header.writeUInt16BE(data ? 1 : 0, 6)
    header.writeUInt16BE(0, 10)
    const answer = data
      ? [
          0xc0,
          0x0c,
          ...query.subarray(questionEnd - 4, questionEnd),
          0,
          0,
          0,
          1,
          0,
          data.length,
          ...data,
        ]
      : []
    const question = query.subarray(12, questionEnd)
    socket.send(Buffer.concat([header, question, Buffer.from(answer)]), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return `127.0.0.1:${socket.address().port}`
}

test('a name leads to the addresses of both families', async () => {
  const v6 = [0x26, 0x06, 0x47, 0, ...new Array<number>(11).fill(0), 1]
  const resolve = hostResolver([await nameServer({ [A]: [8, 8, 8, 8], [AAAA]: v6 })])
  expect(await resolve('seller.example')).toEqual([
    { address: '8.8.8.8', family: 4 },
    { address: '2606:4700::1', family: 6 },
  ])
})

test('one family is enough', async () => {
  const resolve = hostResolver([await nameServer({ [A]: [8, 8, 8, 8] })])
  expect(await resolve('seller.example')).toEqual([{ address: '8.8.8.8', family: 4 }])
})

test('a name without addresses is an error with a code', async () => {
  const resolve = hostResolver([await nameServer({})])
  await expect(resolve('seller.example')).rejects.toMatchObject({ code: 'ENODATA' })
})

test('localhost needs no name server', async () => {
  const resolve = hostResolver([await nameServer('silent')])
  for (const name of ['localhost', 'api.localhost', 'localhost.']) {
    expect(await resolve(name)).toEqual([
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ])
  }
})
