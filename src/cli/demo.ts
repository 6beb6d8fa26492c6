import { parseArgs } from 'node:util'
import { systemClock } from '../core/clock.ts'
import { DemoFailure } from '../demo/demo-failure.ts'
import { demoGuide } from '../demo/guide.ts'
import { progressOn } from '../demo/progress.ts'
import { paymentReport } from '../demo/report.ts'
import { type DemoOptions, type RunningDemo, startDemo } from '../demo/start-demo.ts'
import { demoFolder } from './demo-folder.ts'
import { demoParts } from './demo-parts.ts'
import { duration, port, UsageError } from './flags.ts'
import { helpPage, usageExit } from './help.ts'
import { stopSignals } from './stop-signals.ts'

const help = helpPage({
  name: 'demo',
  summary: 'a paid call on an embedded Stellar network, start to end on this machine',
  usage: ['svc demo [--once]'],
  options: [
    ['--once', 'exit after the first paid call instead of serving on'],
    ['--port 4021', 'of the sample paid API'],
    ['--facilitator-port 8080', 'of svc serve'],
    ['--network-port 8000', 'of the Stellar network (RPC, friendbot, faucet)'],
    ['--network-tls-port 8443', 'of the same over https'],
    ['--close-every 1s', 'how often a ledger closes; testnet closes one about every 5s'],
    ['--store postgres', "or memory: no Postgres, the same SQL in the facilitator's process"],
    ['--dir .svc/demo', 'holds everything the demo writes; emptied at the start'],
  ],
  notes: ['A port of 0 takes any free one.'],
  environment: [['nothing', 'is read']],
  exits: {
    0: 'done, or stopped by a signal',
    1: 'a part did not start, or was lost',
    130: 'interrupted while starting',
    ...usageExit,
  },
  example: 'svc demo --once',
})

/** @returns the exit code: 0 done, 1 a part did not start, 130 interrupted while starting */
export async function demo(args: readonly string[]): Promise<number> {
  const flags = readFlags(args)
  if (flags.help) {
    process.stdout.write(help)
    return 0
  }
  const stop = new AbortController()
  using signals = stopSignals()
  void signals.received.then(() => {
    process.stdout.write('\nStopping. Ctrl-C again stops at once.\n')
    stop.abort()
  })
  try {
    await using running = await startDemo(demoOptions(flags, stop.signal))
    process.stdout.write(`\n${paymentReport(await running.pay())}\n`)
    return flags.once ? 0 : await serveOn(running, stop.signal)
  } catch (error) {
    if (stop.signal.aborted) return 130
    if (!(error instanceof DemoFailure)) throw error
    return explain(error)
  }
}

function readFlags(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      once: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
      port: { type: 'string', default: '4021' },
      'facilitator-port': { type: 'string', default: '8080' },
      'network-port': { type: 'string', default: '8000' },
      'network-tls-port': { type: 'string', default: '8443' },
      'close-every': { type: 'string', default: '1s' },
      store: { type: 'string', default: 'postgres' },
      dir: { type: 'string', default: demoFolder() },
    },
  })
  const { store } = values
  if (store !== 'postgres' && store !== 'memory') {
    throw new UsageError(`--store is postgres or memory, not ${store}`)
  }
  return { ...values, store } as const
}

function demoOptions(flags: ReturnType<typeof readFlags>, signal: AbortSignal): DemoOptions {
  const options = {
    ports: {
      api: port('--port', flags.port),
      facilitator: port('--facilitator-port', flags['facilitator-port']),
      network: port('--network-port', flags['network-port']),
      networkTls: port('--network-tls-port', flags['network-tls-port']),
    },
    closeEveryMs: duration('--close-every', flags['close-every']),
    folder: flags.dir,
    parts: demoParts({ store: flags.store }),
    progress: progressOn(process.stdout, systemClock),
    clock: systemClock,
    pid: process.pid,
    signal,
  }
  process.stdout.write('An x402 payment on an embedded Stellar network\n\n')
  return options
}

/** Resolves when somebody stops the demo, or a part of it is lost. */
async function serveOn({ state, lost }: RunningDemo, signal: AbortSignal): Promise<number> {
  process.stdout.write(demoGuide(state, 'npx svc pay'))
  const stopped = new Promise<undefined>((resolve) =>
    signal.addEventListener('abort', () => resolve(undefined), { once: true }),
  )
  const failure = await Promise.race([stopped, lost])
  if (signal.aborted || !failure) return 0
  return explain(failure)
}

function explain({ message, hint }: DemoFailure): number {
  process.stderr.write(`svc demo: ${message}\n${hint ? `${hint}\n` : ''}`)
  return 1
}
