import { parseArgs } from 'node:util'
import type { NetworkConfig } from '../config/network-settings.ts'
import { loadServeConfig, type ServeConfig } from '../config/serve.ts'
import { systemClock } from '../core/clock.ts'
import { examine } from '../doctor/examine.ts'
import { type Gathered, gather } from '../doctor/gather.ts'
import { networkChecks } from '../doctor/network-checks.ts'
import { serviceChecks } from '../doctor/service-checks.ts'
import { asLines, asTable, type Section } from '../doctor/show.ts'
import { withConfig } from './configured.ts'
import { duration, networkOf, UsageError } from './flags.ts'
import { helpPage, operatorExits } from './help.ts'

const help = helpPage({
  name: 'doctor',
  summary: 'looks for what keeps payments from being made, and says what to do; writes nothing',
  usage: ['svc doctor [--network ID] [--json] [--timeout 10s]'],
  options: [
    ['--network ID', 'of the configured NETWORKS, this one only'],
    ['--json', 'a line of JSON for each check, also on a terminal'],
    ['--timeout 10s', 'how long each question to the store and to an endpoint may take'],
  ],
  notes: [
    'Prints a table on a terminal, else a line of JSON for each check, those of the service first:',
    'network (or null), check, status (ok, warning, problem, skipped), says, todo.',
    'What needs something that is missing is skipped: mend the first problem first.',
  ],
  environment: [['everything', 'that svc serve reads: run it with the same variables']],
  exits: {
    ...operatorExits,
    0: 'no problem; there may be warnings',
    1: 'at least one problem',
  },
  example: 'svc doctor --network stellar:testnet',
})

/** @returns the exit code: 0 no problem, 1 at least one, 78 bad configuration */
export async function doctor(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      network: { type: 'string' },
      json: { type: 'boolean', default: false },
      timeout: { type: 'string', default: '10s' },
    },
  })
  if (values.help) {
    process.stdout.write(help)
    return 0
  }
  const only = networkOf(values.network)
  const timeoutMs = duration('--timeout', values.timeout)
  return withConfig(loadServeConfig, async (config) => {
    const networks = config.networks.filter(({ id }) => only === undefined || id === only)
    if (networks.length === 0) throw new UsageError(`${only} is not among the configured NETWORKS`)
    return report(config, networks, { timeoutMs, isJson: values.json })
  })
}

async function report(
  config: ServeConfig,
  networks: readonly NetworkConfig[],
  { timeoutMs, isJson }: { readonly timeoutMs: number; readonly isJson: boolean },
): Promise<number> {
  const bounds = { clock: systemClock, timeoutMs }
  const sections = sectionsOf(await gather(config, networks, process.env, bounds))
  const isTable = process.stdout.isTTY && !isJson
  process.stdout.write(isTable ? asTable(sections) : asLines(sections))
  const isFine = sections.every(({ results }) =>
    results.every(({ status }) => status !== 'problem'),
  )
  return isFine ? 0 : 1
}

function sectionsOf({ service, networks }: Gathered): readonly Section[] {
  const own = examine(serviceChecks, service)
  return [
    { network: undefined, results: own },
    ...networks.map((facts) => ({
      network: facts.network.id,
      results: examine(networkChecks, facts, own),
    })),
  ]
}
