import { createHash } from 'node:crypto'
import { createServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { generate } from 'selfsigned'

/* The API of a kubelet that the API server calls for logs and port-forwards, for pods that run in the test. */

export interface TestKubelet extends AsyncDisposable {
  readonly port: number
}

/** @param log of every container @param portOf the port of 127.0.0.1 behind a port of a pod */
export async function startKubelet(
  log: string,
  portOf: (port: number) => number | undefined,
): Promise<TestKubelet> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'kubelet' }])
  const sockets = new Set<Duplex>()
  const server = createServer({ key, cert }, (request, response) => {
    const isLog = request.url?.startsWith('/containerLogs/')
    response.writeHead(isLog ? 200 : 404, { 'content-type': 'text/plain' }).end(isLog ? log : '')
  })
  server.on('connection', (socket: Socket) => sockets.add(socket))
  server.on('upgrade', (request, socket: Duplex) => {
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64')
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: v4.channel.k8s.io\r\n\r\n`,
    )
    const asked = Number(new URL(request.url ?? '', 'https://node').searchParams.get('port'))
    forward(socket, asked, portOf(asked))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Channel 0 is the data of the port, channel 1 its errors; each begins with the number of the port. */
function forward(socket: Duplex, asked: number, port: number | undefined): void {
  const number = Buffer.alloc(2)
  number.writeUInt16LE(asked)
  socket.write(frame(0, number))
  socket.write(frame(1, number))
  if (port === undefined) {
    socket.write(frame(1, Buffer.from(`nothing listens on ${asked}`)))
    return
  }
  const target = connect(port, '127.0.0.1')
  target.on('data', (data) => socket.write(frame(0, data)))
  target.on('error', () => socket.destroy())
  target.on('close', () => socket.end(Buffer.from([0x88, 0])))
  let rest = Buffer.alloc(0)
  socket.on('data', (data: Buffer) => {
    rest = Buffer.concat([rest, data])
    for (let read = payloadOf(rest); read; read = payloadOf(rest)) {
      rest = rest.subarray(read.length)
      if (read.opcode === 8) target.end()
      else target.write(read.payload.subarray(1))
    }
  })
  socket.on('close', () => target.destroy())
  socket.on('error', () => target.destroy())
}

/** An unmasked binary frame of a server (RFC 6455). */
function frame(channel: number, data: Buffer): Buffer {
  const length = data.length + 1
  const head = Buffer.alloc(4)
  head.writeUInt8(0x82, 0)
  head.writeUInt8(126, 1)
  head.writeUInt16BE(length, 2)
  if (length > 65_535) throw new RangeError('a frame of the test is too long')
  return Buffer.concat([head, Buffer.from([channel]), data])
}

/** The first frame of a client, which is masked; undefined while it is incomplete. */
function payloadOf(data: Buffer) {
  if (data.length < 6) return undefined
  const short = data.readUInt8(1) & 127
  const start = short === 126 ? 4 : 2
  const size = short === 126 ? data.readUInt16BE(2) : short
  const length = start + 4 + size
  if (data.length < length) return undefined
  const mask = data.subarray(start, start + 4)
  const payload = Buffer.from(data.subarray(start + 4, length))
  payload.forEach((byte, index) => {
    payload[index] = byte ^ (mask[index % 4] ?? 0)
  })
  return { opcode: data.readUInt8(0) & 15, payload, length }
}
