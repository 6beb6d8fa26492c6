import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import http, { type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs, promisify } from 'node:util'
import type { Clock, Logger } from 'stellar-x402/kube'
import { type PodAddress, PolicyEnforcer } from './enforcer.ts'
import { TABLE } from './nft.ts'

/*
 * Enforces the NetworkPolicies of a cluster in the network namespace that it runs in:
 *   node run-enforcer.ts --kubeconfig FILE --socket PATH --pod-network 10.244.0.0/16
 * At the socket it serves, as HTTP:
 *   POST /pods              a PodAddress, from the network plugin; answers when the rules hold it
 *   DELETE /pods/ID         the container of a pod that ended
 *   GET /applied            what the rules in the kernel were made of
 *   PUT /outside-of-blocks  a list of networks; answers when the rules leave them out of every ipBlock
 * SIGTERM removes the rules. When it ends for another reason the rules stay, and no new pod starts.
 */
const { values } = parseArgs({
  options: {
    kubeconfig: { type: 'string' },
    socket: { type: 'string' },
    'pod-network': { type: 'string', default: '10.244.0.0/16' },
  },
})
const { kubeconfig, socket } = values
if (kubeconfig === undefined || socket === undefined) {
  throw new TypeError('--kubeconfig and --socket are required.')
}
const BRIDGED = '/proc/sys/net/bridge/bridge-nf-call-iptables'
if (readFileSync(BRIDGED, 'utf8').trim() !== '1') {
  throw new Error(`${BRIDGED} is not 1, so no rule would see connections between pods of a node.`)
}
// The kernel reports every refused connection, not only some each second.
writeFileSync('/proc/sys/net/ipv4/icmp_ratelimit', '0')

const run = promisify(execFile)
const clock: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, signal && { signal }),
}
const log = (fields: object, message: string) =>
  process.stderr.write(`${message} ${JSON.stringify(fields)}\n`)
const logger: Logger = {
  debug: () => undefined,
  info: log,
  warn: log,
  error: log,
  child: () => logger,
}

async function load(file: string): Promise<void> {
  const loading = run('nft', ['-f', '-'])
  loading.child.stdin?.end(file)
  await loading
}

const enforcer = new PolicyEnforcer({
  kubeconfig,
  podNetwork: values['pod-network'],
  load,
  clock,
  random: Math.random,
  logger,
})

async function body<T>(request: IncomingMessage): Promise<T> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return JSON.parse(Buffer.concat(parts).toString())
}

async function answer(request: IncomingMessage): Promise<unknown> {
  const { method, url = '' } = request
  if (method === 'GET' && url === '/applied') return enforcer.applied ?? {}
  if (method === 'POST' && url === '/pods') return enforcer.place(await body<PodAddress>(request))
  if (method === 'DELETE') return enforcer.remove(url.replace('/pods/', ''))
  if (method === 'PUT' && url === '/outside-of-blocks') {
    return enforcer.leaveOut(await body<string[]>(request))
  }
  throw new TypeError(`There is no ${method} ${url}.`)
}

const server = http.createServer((request, response) => {
  answer(request).then(
    (result) => response.end(JSON.stringify(result ?? null)),
    (error: unknown) => response.writeHead(500).end(String(error)),
  )
})
const stop = new AbortController()
process.once('SIGTERM', () => stop.abort())
server.listen(socket)
await enforcer.run(stop.signal)
await run('nft', ['delete', 'table', 'ip', TABLE])
process.exit(0)
