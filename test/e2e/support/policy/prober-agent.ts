import dgram from 'node:dgram'
import net from 'node:net'
import { createInterface } from 'node:readline'
import type { Outcome, Try } from './probers.ts'

/*
 * Stands for the program of a pod, in the pod's network namespace:
 *   node prober-agent.ts NAME '[8080, 9090]' '["0.0.0.0"]'
 * It answers at these ports of its addresses, by TCP and UDP, with its name and the address that it sees. Each line of its input is a
 * Try; the line of output that it causes is the Outcome with the id of the Try.
 */
const [name = '', ports = '[]', addresses = '[]'] = process.argv.slice(2)
const LIMIT_MS = 5_000

const ends = (JSON.parse(ports) as number[]).flatMap((port) =>
  (JSON.parse(addresses) as string[]).map((host) => ({ host, port })),
)
const listening = ends.flatMap(({ host, port }) => [
  new Promise<void>((resolve) => {
    net
      .createServer((socket) => {
        socket.on('error', () => undefined)
        socket.end(`${name} ${socket.remoteAddress}`)
      })
      .listen(port, host, resolve)
  }),
  new Promise<void>((resolve) => {
    const socket = dgram.createSocket('udp4')
    socket.on('message', (_, from) => {
      socket.send(`${name} ${from.address}`, from.port, from.address)
    })
    socket.bind(port, host, resolve)
  }),
])

/** A rule that refuses answers with ICMP "administratively prohibited"; nothing else here does. */
const failure = ({ code, message }: NodeJS.ErrnoException): Outcome =>
  code === 'EHOSTUNREACH' ? { kind: 'refused' } : { kind: 'failed', message: code ?? message }

const reached = (answer: Buffer): Outcome => {
  const [by = '', seen = ''] = answer.toString().split(' ')
  return { kind: 'reached', by, seen }
}

function connect({ host, port, from, greets }: Try): Promise<Outcome> {
  return new Promise((resolve) => {
    const socket = net.connect({ host, port, ...(from && { localAddress: from }) })
    const end = (outcome: Outcome) => {
      socket.destroy()
      resolve(outcome)
    }
    socket.setTimeout(LIMIT_MS, () => end({ kind: 'failed', message: 'no answer' }))
    socket.once('error', (error) => end(failure(error)))
    socket.once('data', (answer) => end(reached(answer)))
    if (!greets) socket.once('connect', () => end({ kind: 'reached', by: '', seen: '' }))
  })
}

function send({ host, port }: Try): Promise<Outcome> {
  return new Promise((resolve) => {
    const socket = dgram.createSocket('udp4')
    const limit = setTimeout(() => end({ kind: 'failed', message: 'no answer' }), LIMIT_MS)
    const end = (outcome: Outcome) => {
      clearTimeout(limit)
      socket.close()
      resolve(outcome)
    }
    socket.once('error', (error) => end(failure(error)))
    socket.once('message', (answer) => end(reached(answer)))
    // Only a connected socket reports the refusal.
    socket.connect(port, host, () => socket.send('?'))
  })
}

await Promise.all(listening)
process.stdout.write('ready\n')
for await (const line of createInterface({ input: process.stdin })) {
  const each: Try = JSON.parse(line)
  void (each.protocol === 'UDP' ? send(each) : connect(each)).then((outcome) =>
    process.stdout.write(`${JSON.stringify({ id: each.id, outcome })}\n`),
  )
}
process.exit(0)
