/**
 * Start time of `svc serve` on Postgres until it listens, and its memory then; with and without Node's
 * compile cache.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { startEmbeddedPostgres } from '../../src/demo/postgres/embedded-postgres.ts'
import { newWallet } from '../../src/demo/wallets.ts'
import { type Program, startProgram, svcScript } from './program.ts'
import { median } from './statistics.ts'
import { markdown } from './tables.ts'

export interface ProcessBench {
  readonly progress: (line: string) => void
  readonly print: (...lines: readonly string[]) => void
}

const STARTS = 5
/** The Dockerfile's NODE_OPTIONS; its areas of the C library are given beside them. */
const IMAGE_OPTIONS = '--max-semi-space-size=8'
const TARGET = 'The target is a start of at most 2 s and less than 200 MB.'

interface Started {
  readonly seconds: number
  readonly megabytes: number
}

export async function benchProcess({ progress, print }: ProcessBench): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const [localnet, postgres] = await Promise.all([startLocalnetServer(), startEmbeddedPostgres()])
  opened.use(localnet)
  opened.use(postgres)
  const rpcUrl = String(localnet.ready['rpcUrl'])
  const sponsor = newWallet()
  await (await fetch(`${rpcUrl}/friendbot?addr=${sponsor.address}`)).body?.cancel()
  const env = {
    TESTNET_RPC_URL: rpcUrl,
    TESTNET_SPONSOR_SECRET: sponsor.secret,
    DATABASE_URL: postgres.url,
  }
  progress(
    'svc serve: first start, not counted, which migrates the database and creates the channels',
  )
  await using folders = new AsyncDisposableStack()
  const newFolder = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-compiled-'))
    folders.defer(() => rm(folder, { recursive: true, force: true }))
    return folder
  }
  const filledCache = await newFolder()
  await startOnce(env)
  await startOnce({ ...env, NODE_COMPILE_CACHE: filledCache })

  const usual: Started[] = []
  const named: Started[] = []
  const image: Started[] = []
  const cold: Started[] = []
  for (let start = 1; start <= STARTS; start += 1) {
    progress(`svc serve: start ${start} of ${STARTS} of each kind`)
    usual.push(await startOnce(env))
    named.push(await startOnce({ ...env, NODE_COMPILE_CACHE: filledCache }))
    image.push(await startOnce({ ...env, NODE_OPTIONS: IMAGE_OPTIONS, MALLOC_ARENA_MAX: '2' }))
    cold.push(await startOnce({ ...env, NODE_COMPILE_CACHE: await newFolder() }))
  }
  const rows = [
    row("with Node's cache in `node_modules`", usual),
    row('with `NODE_COMPILE_CACHE`', named),
    row('with the options of the image', image),
    row('with an empty cache', cold),
  ]
  print('## Process', '', markdown(['start', 'ready p50', 'slowest', 'memory'], rows), '', TARGET)
}

async function startOnce(env: Readonly<Record<string, string>>): Promise<Started> {
  const startedAt = performance.now()
  await using program = await startProgram({
    name: 'svc serve',
    args: [svcScript, 'serve'],
    env: { HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0', EXPLORER_PORT: '0', ...env },
    isReady: ({ msg }) => msg === 'Service is listening',
  })
  const seconds = (performance.now() - startedAt) / 1_000
  return { seconds, megabytes: await residentMegabytes(program) }
}

/** From the service's own metrics. */
async function residentMegabytes({ ready }: Program): Promise<number> {
  const response = await fetch(`${String(ready['adminUrl'])}/metrics`)
  const [, bytes] = /^svc_process_resident_memory_bytes (\S+)$/m.exec(await response.text()) ?? []
  if (bytes === undefined) throw new Error('the metrics have no resident memory')
  return Number(bytes) / 1_000_000
}

const startLocalnetServer = (): Promise<Program> =>
  startProgram({
    name: 'svc localnet',
    args: [svcScript, 'localnet', '--port', '0', '--close-every', '1s'],
    isReady: ({ ready }) => ready === true,
  })

function row(name: string, starts: readonly Started[]): string[] {
  const seconds = starts.map((start) => start.seconds)
  const megabytes = starts.map((start) => start.megabytes)
  return [
    name,
    `**${median(seconds).toFixed(2)} s**`,
    `${Math.max(...seconds).toFixed(2)} s`,
    `**${Math.round(median(megabytes))} MB**, max ${Math.round(Math.max(...megabytes))} MB`,
  ]
}
