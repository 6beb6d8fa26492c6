/** What processes take: memory of the service, of the store in memory and of the in-process facilitator, and of commands. */
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startEmbeddedPostgres } from '../../src/demo/postgres/embedded-postgres.ts'
import { newWallet } from '../../src/demo/wallets.ts'
import { addressesOf, openAccounts } from './accounts.ts'
import { startOurs } from './facilitators.ts'
import { measureCommands } from './memory/commands.ts'
import { residentOf } from './memory/resident.ts'
import { type LoadedMemory, memoryUnderLoad } from './memory/under-load.ts'
import { startProgram, svcScript } from './program.ts'
import { markdown } from './tables.ts'

const CHANNELS = 100
/** As few as a trial has. */
const FEW_CHANNELS = 8

const { values } = parseArgs({ options: { only: { type: 'string' } } })
const wants = (part: string): boolean => values.only === undefined || values.only === part
const progress = (line: string) => process.stderr.write(`${line}\n`)
const print = (...lines: readonly string[]) => process.stdout.write(`${lines.join('\n')}\n\n`)
const compiled = fileURLToPath(new URL('../../node_modules/.cache/svc', import.meta.url))
const mb = (megabytes: number): string => `${Math.round(megabytes)} MB`

if (wants('commands')) {
  progress('Commands')
  const rows = (await measureCommands()).map(({ command, cpuMs, peak }) => [
    ...[`\`${command}\``, `${Math.round(cpuMs)} ms`, mb(peak)],
  ])
  print('## Commands', '', markdown(['', 'processor time', 'memory'], rows))
}

await using localnet = await startProgram({
  name: 'svc localnet',
  args: [
    ...[svcScript, 'localnet', '--port', '0', '--tls', '--tls-port', '0'],
    ...['--close-every', '2s'],
  ],
  isReady: ({ ready }) => ready === true,
})
const addresses = addressesOf(localnet.ready)
const { rpcUrl } = addresses
const { maker } = await openAccounts(addresses)

if (wants('in-process')) {
  progress('A facilitator in another program')
  await using program = await startProgram({
    name: 'a facilitator in another program',
    args: [new URL('memory/in-process-program.ts', import.meta.url).pathname],
    env: { RPC_URL: rpcUrl, SPONSOR_SECRET: await sponsor(), CHANNELS: String(FEW_CHANNELS) },
    isReady: ({ kinds }) => typeof kinds === 'number',
  })
  const { peak, now } = await residentOf(program.pid)
  const { startMs, cpuMs } = program.ready
  const row = [`${Math.round(Number(startMs))} ms`, `${Math.round(Number(cpuMs))} ms`]
  print(
    '## In another program, with a store in memory',
    '',
    markdown(['start', 'processor time', 'most', 'then'], [[...row, mb(peak), mb(now)]]),
  )
}

const rows: (readonly string[])[] = []
if (wants('serve')) {
  progress('svc serve on Postgres')
  await using postgres = await startEmbeddedPostgres()
  await using ours = await serve({ databaseUrl: postgres.url })
  rows.push(rowOf('`svc serve`', await memoryUnderLoad(ours, maker)))
}
if (wants('memory-store')) {
  progress('svc serve with a store in memory')
  await using ours = await serve({ env: { STORE: 'memory' } })
  rows.push(rowOf('`svc serve` with `STORE=memory`', await memoryUnderLoad(ours, maker)))
}
const head = ['', 'listening', 'most until then', '300 in flight', 'most', 'a minute later']
if (rows.length > 0)
  print('## Service', '', markdown([...head, 'processor time for a payment', 'failed'], rows))

function rowOf(name: string, { start, loaded, rested, failures, cpuMs }: LoadedMemory): string[] {
  for (const reason of new Set(failures)) progress(`${name}: a payment failed: ${reason}`)
  return [
    ...[name, mb(start.now), mb(start.peak), mb(loaded.now), mb(loaded.peak), mb(rested.now)],
    ...[`${cpuMs.toFixed(1)} ms`, String(failures.length)],
  ]
}

/** With catalog and explorer. The bench has a channel to it, so it would not limit itself as it does on a command line. */
async function serve({
  databaseUrl = '',
  env = {},
}: {
  databaseUrl?: string
  env?: Record<string, string>
}) {
  const { url, program } = await startOurs({
    ...{ rpcUrl, databaseUrl, channels: CHANNELS, sponsorSecret: await sponsor() },
    isMetered: false,
    env: {
      EXPLORER_ENABLED: 'true',
      EXPLORER_PORT: '0',
      NODE_OPTIONS: '--max-semi-space-size=8',
      MALLOC_ARENA_MAX: '2',
      NODE_COMPILE_CACHE: compiled,
      ...env,
    },
  })
  return { url, program, [Symbol.asyncDispose]: () => program[Symbol.asyncDispose]() }
}

async function sponsor(): Promise<string> {
  const { address, secret } = newWallet()
  await (await fetch(`${rpcUrl}/faucet?addr=${address}&asset=XLM&amount=10000`)).body?.cancel()
  return secret
}
