import { systemClock } from '../core/clock.ts'
import { explainDemoFailure } from '../demo/demo-failure.ts'
import { demoGuide } from '../demo/guide.ts'
import { progressOn } from '../demo/progress.ts'
import { paymentReport } from '../demo/report.ts'
import { type DemoOptions, type RunningDemo, startDemo } from '../demo/start-demo.ts'
import { command } from './command/command.ts'
import { choiceOr, duration, type FlagValues, flag, port, text } from './command/flags.ts'
import { stopped } from './command/stop-signals.ts'
import { demoFolder } from './demo-folder.ts'
import { demoParts } from './demo-parts.ts'

const flags = {
  once: flag('exit after the first paid call instead of serving on'),
  port: port(4021, 'of the sample paid API'),
  'facilitator-port': port(8080, 'of svc serve'),
  'network-port': port(8000, 'of the Stellar network (RPC, friendbot, faucet)'),
  'network-tls-port': port(8443, 'of the same over https'),
  'close-every': duration('1s', 'how often a ledger closes; testnet closes one about every 5s'),
  store: choiceOr(
    ['postgres', 'memory'],
    'postgres',
    "memory: no Postgres, the same SQL in the facilitator's process",
  ),
  dir: text('DIR', 'holds everything the demo writes; emptied at the start (default: .svc/demo)'),
}

export const demo = command({
  name: 'demo',
  summary: 'a paid call on an embedded Stellar network, start to end on this machine',
  usage: ['svc demo [--once]'],
  flags,
  notes: ['A port of 0 takes any free one.'],
  exits: {
    0: 'done, or stopped by a signal',
    1: 'a part did not start, or ended by itself',
    130: 'interrupted while starting',
  },
  example: 'svc demo --once',
  handlesStop: true,
  explain: explainDemoFailure,
  run: async ({ flags: values, stop }) => {
    process.stdout.write('An x402 payment on an embedded Stellar network\n\n')
    void stopped(stop).then(() => process.stdout.write('\nStopping. Ctrl-C again stops at once.\n'))
    try {
      await using running = await startDemo(demoOptions(values, stop))
      process.stdout.write(`\n${paymentReport(await running.pay())}\n`)
      return values.once ? 0 : await serveOn(running, stop)
    } catch (error) {
      if (stop.aborted) return 130
      throw error
    }
  },
})

const demoOptions = (values: FlagValues<typeof flags>, signal: AbortSignal): DemoOptions => ({
  ports: {
    api: values.port,
    facilitator: values['facilitator-port'],
    network: values['network-port'],
    networkTls: values['network-tls-port'],
  },
  closeEveryMs: values['close-every'],
  folder: values.dir ?? demoFolder(),
  parts: demoParts({ store: values.store }),
  progress: progressOn(process.stdout, systemClock),
  clock: systemClock,
  pid: process.pid,
  signal,
})

/** Resolves with the exit code when a signal stops the demo, or a part of it ends by itself. */
async function serveOn({ state, lost }: RunningDemo, stop: AbortSignal): Promise<number> {
  process.stdout.write(demoGuide(state, 'npx svc pay'))
  const failure = await Promise.race([stopped(stop).then(() => undefined), lost])
  if (stop.aborted || !failure) return 0
  // Now, not once everything else has stopped.
  process.stderr.write(`svc demo: ${explainDemoFailure(failure)}\n`)
  return 1
}
