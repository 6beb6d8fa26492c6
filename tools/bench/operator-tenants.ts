/**
 * `node tools/bench/operator-tenants.ts`: the memory of the operator with a pool of each of many tenants, first honest ones,
 * then hostile ones, on a real API server. Prints Markdown; docs/performance.md explains it. Linux only.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { API_VERSION, kinds } from '../../src/kubernetes/crd/names/group.ts'
import { secretOfSeed, signerFromSeed } from '../../src/stellar/accounts/signer.ts'
import { administer, databaseOf } from '../../test/support/postgres-server.ts'
import { openTrial, type Trial } from '../try-cluster/trial.ts'
import { startHostileDatabases } from './operator/hostile-database.ts'
import { rpcAttacks, startHostileEndpoint } from './operator/hostile-endpoint.ts'
import { BenchWorld, type TenantValues } from './operator/world.ts'
import { markdown } from './tables.ts'

const { values } = parseArgs({
  options: {
    tenants: { type: 'string', default: '100' },
    /** For which the operator runs after the last pool was created. */
    seconds: { type: 'string', default: '90' },
    /** Measures only what has this text in its name. */
    only: { type: 'string', default: '' },
  },
})
const COUNT = Number(values.tenants)
const SECONDS = Number(values.seconds)
const CHANNELS = 2
const LUMENS = 100n
const LUMEN = 10_000_000n
/** A Secret may have 1 MiB. */
const LARGE_SECRET_BYTES = 1_000_000
/** A Facilitator of 1 MB. */
const EMPTY_OBJECTS = 340_000
const KIB_PER_MIB = 1024
/** The image's options, and the heap that V8 allows itself in a container of 512 MiB: half of it. */
const POD_OPTIONS = '--max-semi-space-size=8 --max-old-space-size=256'
const progress = (line: string) => process.stderr.write(`${line}\n`)

/** Returns the values that a tenant gives the operator: its own, with a hostile endpoint or database in their place. */
type Hostility = (tenant: number, own: TenantValues) => TenantValues

/** Makes six of ten tenants have a hostile endpoint, and four a hostile database. */
async function hostile({ own }: Trial, stack: AsyncDisposableStack): Promise<Hostility> {
  const endpoint = stack.use(await startHostileEndpoint(own.rpcUrl))
  stack.defer(() => {
    progress(`answers of the endpoints: ${JSON.stringify(endpoint.answers)}`)
  })
  const attacks = Object.keys(rpcAttacks)
  return (tenant, honest) =>
    tenant % 10 < 6
      ? { ...honest, rpcUrl: `${endpoint.url}/${attacks[tenant % attacks.length]}` }
      : { ...honest, databaseUrl: databaseUrls[tenant % databaseUrls.length] ?? '' }
}

async function measure(
  name: string,
  prepare: (trial: Trial, stack: AsyncDisposableStack) => Promise<Hostility>,
): Promise<readonly string[]> {
  progress(`${name}: ${COUNT} namespaces, accounts and databases`)
  await using trial = await openTrial('tenant-0')
  await using stack = new AsyncDisposableStack()
  const hostility = await prepare(trial, stack)
  const tenants = await openTenants(trial, hostility)
  const operator = stack.use(trial.operate({ NODE_OPTIONS: POD_OPTIONS, WATCH_NAMESPACES: '' }))
  await operator.adminUrl
  await pause(5_000)
  const before = memoryOf(operator.pid)
  progress(`${name}: the pools, and ${SECONDS} s`)
  for (const tenant of tenants) await tenant.pool(CHANNELS, { database: DATABASE })
  await pause(SECONDS * 1_000)
  const { now, peak } = memoryOf(operator.pid)
  const said = [...(await reasons(trial))].map(([reason, count]) => `${count} ${reason}`)
  return [name, mib(before.now), mib(now), `**${mib(peak)}**`, said.join(', ')]
}

/** One connection for each tenant: all of their databases are of one server here. */
const DATABASE = { secretRef: { name: 'x402-database' }, poolSize: 1 }

/** Each with a namespace, an account and a database of its own. */
async function openTenants(trial: Trial, hostility: Hostility): Promise<readonly BenchWorld[]> {
  const { localnet, own } = trial
  const seeds = Array.from({ length: COUNT }, () => randomBytes(32))
  await Promise.all(
    seeds.map((seed) => {
      const { address } = signerFromSeed(seed)
      return localnet.pay({ address, asset: 'XLM', amount: LUMENS * LUMEN })
    }),
  )
  const worlds: BenchWorld[] = []
  for (const [tenant, seed] of seeds.entries()) {
    const database = `tenant_${tenant}`
    // Nobody else may use the database that is copied.
    const elsewhere = databaseOf(own.databaseUrl, 'template1')
    await administer(elsewhere, `create database ${database} template postgres`)
    const tenantOwn = {
      rpcUrl: own.rpcUrl,
      sponsorSecret: secretOfSeed(seed),
      databaseUrl: databaseOf(own.databaseUrl, database),
    }
    const world = new BenchWorld(trial, `tenant-${tenant}`, hostility(tenant, tenantOwn))
    if (tenant > 0) await world.createNamespace()
    await world.secrets()
    await world.largeFacilitator()
    worlds.push(world)
  }
  return worlds
}

/** How many pools have each reason in their condition Ready. */
async function reasons({ cluster }: Trial): Promise<ReadonlyMap<string, number>> {
  const { body } = await cluster.request('GET', `/apis/${API_VERSION}/${kinds.ChannelPool.plural}`)
  const counts = new Map<string, number>()
  for (const { status } of body['items'] as readonly { readonly status?: PoolStatus }[]) {
    const { reason = 'nothing' } = status?.conditions?.find(({ type }) => type === 'Ready') ?? {}
    counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  return counts
}

interface PoolStatus {
  readonly conditions?: readonly { readonly type: string; readonly reason: string }[]
}

/** The resident memory of a process, in KiB, and its peak. */
function memoryOf(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const read = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1])
  return { now: read('VmRSS'), peak: read('VmHWM') }
}

const mib = (kib: number): string => `${Math.round(kib / KIB_PER_MIB)} MiB`

await using opened = new AsyncDisposableStack()
const databases = opened.use(await startHostileDatabases())
const databaseUrls = Object.values(databases.urls)

type Prepare = Parameters<typeof measure>[1]

const withSecrets: Prepare = async (trial, stack) => {
  const attack = await hostile(trial, stack)
  const padding = 'x'.repeat(LARGE_SECRET_BYTES)
  return (tenant, own) => ({ ...attack(tenant, own), padding })
}

const prepared: Readonly<Record<string, Prepare>> = {
  honest: async () => (_, own) => own,
  hostile,
  'hostile, with Secrets of 1 MB': withSecrets,
  'hostile, with Secrets and Facilitators of 1 MB': async (trial, stack) => {
    const attack = await withSecrets(trial, stack)
    return (tenant, own) => ({ ...attack(tenant, own), emptyObjects: EMPTY_OBJECTS })
  },
}

const rows: (readonly string[])[] = []
for (const [name, prepare] of Object.entries(prepared)) {
  if (name.includes(values.only)) rows.push(await measure(name, prepare))
}
const head = ['tenants', 'memory before the pools', 'in the end', '**peak**', 'what the pools say']
process.stdout.write(
  `${markdown(head, rows)}\n\n${COUNT} tenants, ${SECONDS} s each. ` +
    `${availableParallelism()} processors, load ${loadavg()[0]?.toFixed(1)} at the end.\n`,
)
