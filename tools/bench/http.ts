/** Cost of HTTP: bad requests and probes compared with bare fastify routes, and the parts of a verify. */
import { availableParallelism, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { startEmbeddedPostgres } from '../../src/demo/postgres/embedded-postgres.ts'
import { rpcClient } from '../../src/stellar/rpc/rpc-client.ts'
import { addressesOf, openAccounts } from './accounts.ts'
import { startOurs } from './facilitators.ts'
import { type Compared, type Comparison, compare, type Round, ratioOf } from './http/compare.ts'
import { requestBytes } from './http/flood.ts'
import { heapAfter } from './http/heap.ts'
import { type VerifyShares, verifyShares } from './http/verify-shares.ts'
import { metered, startProgram, svcScript } from './program.ts'
import { median } from './statistics.ts'
import { markdown } from './tables.ts'

const CONNECTIONS = 64

const { values } = parseArgs({ options: { profile: { type: 'string' } } })
const profileFolder = values.profile
const progress = (line: string) => process.stderr.write(`${line}\n`)

progress('Starting the network, Postgres, the service and plain fastify')
const loadBefore = loadavg()[0] ?? Number.NaN
await using postgres = await startEmbeddedPostgres()
await using localnet = await startProgram({
  name: 'svc localnet',
  args: [
    ...[svcScript, 'localnet', '--port', '0', '--tls', '--tls-port', '0'],
    ...['--close-every', '1s'],
  ],
  isReady: ({ ready }) => ready === true,
})
const addresses = addressesOf(localnet.ready)
const { rpcUrl } = addresses
const { maker, oursSponsor } = await openAccounts(addresses)
const ours = await startOurs({
  ...{ rpcUrl, databaseUrl: postgres.url, sponsorSecret: oursSponsor, channels: 4 },
  profileFolder,
})
await using _ours = ours.program
const bareProgram = await startProgram({
  name: 'bare fastify',
  args: [...metered, new URL('http/bare-server.ts', import.meta.url).pathname],
  env: { BARE_ANSWERS: JSON.stringify(await sameAnswers(ours.url)) },
  isReady: ({ url }) => typeof url === 'string',
})
await using _bare = bareProgram
const bare = { url: String(bareProgram.ready['url']), program: bareProgram }

const compared: Compared[] = []
for (const comparison of await comparisons()) {
  progress(`${comparison.what}, ${comparison.connections} connections`)
  compared.push(await compare({ ours, bare }, comparison))
}
progress('A valid /verify, one at a time')
const [payment] = await maker.make(1)
if (!payment) throw new Error('no payment was made')
const rpc = rpcClient({ url: rpcUrl, allowHttp: true })
const shares = await verifyShares(ours.url, rpc, payment)
progress('Memory after 100,000 bad requests')
const HEAP_AT = [20_000, 60_000, 100_000]
const heaps = await heapAfter(HEAP_AT)
report(compared, shares)

/** So that both write out the same: a bare route has its object at hand. */
async function sameAnswers(url: string): Promise<Record<string, object>> {
  const get = async (path: string) => (await fetch(url + path)).json() as Promise<object>
  const headers = { 'content-type': 'application/json' }
  const refusal = await fetch(`${url}/verify`, { method: 'POST', headers, body: '{}' })
  return {
    '/verify': (await refusal.json()) as object,
    '/health': await get('/health'),
    '/ready': await get('/ready'),
  }
}

async function comparisons(): Promise<Comparison[]> {
  const [good] = await maker.make(1)
  const { paymentRequirements: _missing, ...lacking } = good ?? { paymentRequirements: {} }
  const common = { connections: CONNECTIONS }
  const malformed = { ...common, status: 400, atLeast: 0.6 }
  const probe = { ...common, status: 200, atLeast: 0.8 }
  return [
    {
      ...malformed,
      what: 'malformed /verify',
      request: requestBytes('POST', '/verify', JSON.stringify(lacking)),
    },
    { ...probe, what: '/health', request: requestBytes('GET', '/health') },
    { ...probe, what: '/ready', request: requestBytes('GET', '/ready') },
  ]
}

function report(rows: readonly Compared[], times: VerifyShares): void {
  const rates = ratesTable(rows)
  const { whole, decode, checks, signature, simulation } = times
  const rest = whole - decode - checks - signature - simulation
  const parts = { total: whole, decode, checks, signature, simulation, 'HTTP and the rest': rest }
  const table = markdown(
    ['part', 'p50', 'share'],
    Object.entries(parts).map(([part, ms]) => [
      ...[part, `${ms.toFixed(3)} ms`, `${Math.round((100 * ms) / whole)} %`],
    ]),
  )
  const load = `load average before ${loadBefore.toFixed(1)}`
  const environment = `- ${availableParallelism()} processors, ${load}; ${CONNECTIONS} connections, rate limit off`
  const text = ['## HTTP compared with bare fastify routes', '', environment, '', rates, '']
  process.stdout.write(
    [...text, '## Parts of a valid /verify', '', table, '', ...heapText(), ''].join('\n'),
  )
}

function ratesTable(rows: readonly Compared[]): string {
  const rate = (rounds: readonly Round[]) =>
    Math.round(median(rounds.map(({ perSecond }) => perSecond))).toLocaleString('en-US')
  const cpu = (rounds: readonly Round[]) =>
    `${median(rounds.map(({ cpuMicros }) => cpuMicros)).toFixed(0)} µs`
  const heads = ['ours per second', 'bare', '**ratio**', 'target']
  const cpuHeads = ['processor time ours', 'bare', 'bare to ours']
  return markdown(
    ['requests', ...heads, ...cpuHeads],
    rows.map((row) => [
      ...[row.comparison.what, rate(row.ours), rate(row.bare)],
      `**${ratioOf(row, ({ perSecond }) => perSecond).toFixed(2)}**`,
      ...[row.comparison.atLeast.toFixed(1), cpu(row.ours), cpu(row.bare)],
      ratioOf(row, ({ cpuMicros }) => 1 / cpuMicros).toFixed(2),
    ]),
  )
}

function heapText(): string[] {
  const rows = heaps.map((bytes, at) => [
    (HEAP_AT[at] ?? 0).toLocaleString('en-US'),
    `${(bytes / 1_000_000).toFixed(2)} MB`,
  ])
  return ['## Heap after bad requests', '', markdown(['requests', 'in use'], rows), '']
}
