import { resolve } from 'node:path'
import { explainDemoFailure } from '../../demo/demo-failure.ts'
import type { WantedPort, WantedPorts } from '../../demo/ports/choose-ports.ts'
import { hasPostgres } from '../../demo/postgres/postgres-binaries.ts'
import { progressOn } from '../../demo/progress.ts'
import type { DemoOptions } from '../../demo/start/demo-options.ts'
import { demoGuide, type GuideCommands } from '../../demo/start/guide.ts'
import { paymentReport } from '../../demo/start/report.ts'
import { type RunningDemo, startDemo } from '../../demo/start/start-demo.ts'
import { shellWord } from '../../platform/core/text/shell-word.ts'
import { isPackage, typed } from '../../platform/core/text/typed-command.ts'
import { systemClock } from '../../platform/core/time/clock.ts'
import { stopped } from '../../service/process/stop-signals.ts'
import { command } from '../command-line/command.ts'
import {
  choiceOr,
  duration,
  type Flag,
  type FlagValues,
  flag,
  port,
  text,
} from '../command-line/flags.ts'
import { UsageError } from '../command-line/usage-error.ts'
import { demoFolder } from './demo-folder.ts'
import { demoParts, SIGNERS } from './demo-parts.ts'

/** The usual port of a part unless the flag names another. */
const usualPort = (usual: number, help: string): Flag<WantedPort> => {
  const { read, ...shared } = port(usual, help)
  return {
    ...shared,
    read: (given, name) => ({
      port: read(given, name),
      flag: given === undefined ? undefined : name,
    }),
  }
}

const flags = {
  once: flag('exit after the first paid calls instead of serving on'),
  port: usualPort(4021, 'of the sample paid API'),
  'facilitator-port': usualPort(8080, 'of svc serve'),
  'explorer-port': usualPort(8081, 'of the explorer, which svc serve serves too'),
  'network-port': usualPort(8000, 'of the Stellar network (RPC, friendbot, faucet)'),
  'network-tls-port': usualPort(8443, 'of the same over https'),
  'close-every': duration('1s', 'how often a ledger closes; testnet closes one about every 5s'),
  store: choiceOr(
    ['postgres', 'memory'],
    hasPostgres() ? 'postgres' : 'memory',
    "memory: no Postgres, the same SQL in the facilitator's process",
  ),
  signer: choiceOr(
    SIGNERS,
    'seed',
    "where the sponsor's key lies: in a token of SoftHSM 2, behind examples/signer-sidecar",
  ),
  dir: text('DIR', 'holds everything the demo writes; emptied at the start (default: .svc/demo)'),
}

export const demo = command({
  name: 'demo',
  summary: 'paid calls on an embedded Stellar network, start to end on this machine',
  usage: ['svc demo [--once]'],
  flags,
  notes: [
    'In place of a usual port that is taken the demo uses a free one, and says so. A port that a flag',
    'names has to be free; 0 takes any.',
    "With --signer pkcs11 or sidecar, svc serve is not given the sponsor's seed; docs/signers.md says how to",
    'run that. SoftHSM 2 is the one of this machine, or on Debian and Ubuntu fetched by apt without root.',
    ...(isPackage ? [] : ['With make: make run ARGS="--port 5000 --close-every 5s".']),
  ],
  exits: {
    0: 'done, or stopped by a signal',
    1: 'a part did not start, or ended by itself',
    130: 'interrupted while starting',
  },
  example: 'svc demo --once',
  handlesStop: true,
  explain: explainDemoFailure,
  run: async ({ flags: values, stop }) => {
    process.stdout.write('x402 payments on an embedded Stellar network\n\n')
    void stopped(stop).then(() => process.stdout.write('\nStopping. Ctrl-C again stops at once.\n'))
    try {
      await using running = await startDemo(demoOptions(values, stop))
      const payments = [await running.pay(), await running.payMetered()]
      await Promise.all([running.findListings(), running.findPayments(payments)])
      process.stdout.write(`\n${payments.map(paymentReport).join('\n')}\n`)
      return values.once ? 0 : await serveOn(running, values.dir, stop)
    } catch (error) {
      if (stop.aborted) return 130
      throw error
    }
  },
})

const demoOptions = (values: FlagValues<typeof flags>, signal: AbortSignal): DemoOptions => ({
  ports: distinct({
    api: values.port,
    facilitator: values['facilitator-port'],
    explorer: values['explorer-port'],
    network: values['network-port'],
    networkTls: values['network-tls-port'],
  }),
  say: (text) => process.stdout.write(text),
  closeEveryMs: values['close-every'],
  folder: values.dir ?? demoFolder(),
  parts: demoParts(values),
  progress: progressOn(isPlain() ? withoutControl : process.stdout, systemClock),
  clock: systemClock,
  pid: process.pid,
  signal,
})

/** A terminal that cannot move its cursor. */
const isPlain = () => process.env['TERM'] === 'dumb'
const withoutControl = { write: (text: string) => process.stdout.write(text) }

/** Throws UsageError when two flags name the same port. */
function distinct(ports: WantedPorts): WantedPorts {
  const chosen = Object.values(ports).filter(({ port, flag }) => flag !== undefined && port !== 0)
  const problems = chosen.flatMap(({ port, flag }, index) =>
    chosen
      .slice(index + 1)
      .filter((other) => other.port === port)
      .map((other) => `${flag} and ${other.flag} must differ, both are ${port}`),
  )
  if (problems.length > 0) throw new UsageError(...problems)
  return ports
}

/** Resolves with the exit code when a signal stops the demo, or a part of it ends by itself. */
async function serveOn(
  { state, lost }: RunningDemo,
  dir: string | undefined,
  stop: AbortSignal,
): Promise<number> {
  process.stdout.write(demoGuide(state, guideCommands(state, dir)))
  const failure = await Promise.race([stopped(stop).then(() => undefined), lost])
  if (stop.aborted || !failure) return 0
  // Now, not once everything else has stopped.
  process.stderr.write(`svc demo: ${explainDemoFailure(failure)}\n`)
  return 1
}

/**
 * Commands of the guide, as typed in the working directory. `svc status` looks at the demo in the default folder, so the
 * guide of a demo with `--dir` asks its own service instead.
 */
function guideCommands(
  { facilitatorUrl }: RunningDemo['state'],
  dir: string | undefined,
): GuideCommands {
  const where = dir === undefined ? '' : ` --dir ${shellWord(resolve(dir))}`
  const { svc } = typed()
  return {
    pay: `${svc} pay${where}`,
    verify: `${svc} receipt verify`,
    status: dir === undefined ? `${svc} status` : `curl ${facilitatorUrl}/health`,
  }
}
