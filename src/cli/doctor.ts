import type { NetworkConfig } from '../config/network-settings.ts'
import { loadServeConfig, type ServeConfig } from '../config/serve.ts'
import { systemClock } from '../core/clock.ts'
import { checkAll } from '../doctor/all-checks.ts'
import { gather } from '../doctor/gather.ts'
import { asLines, asTable } from '../doctor/show.ts'
import { command } from './command/command.ts'
import { duration, flag, networkId } from './command/flags.ts'
import { UsageError } from './command/usage-error.ts'

export const doctor = command({
  name: 'doctor',
  summary: 'finds what keeps payments from being made, and says what to do; writes nothing',
  usage: ['svc doctor [--network ID] [--json] [--timeout 10s]'],
  flags: {
    network: networkId('of the configured NETWORKS, this one only'),
    json: flag('a line of JSON for each check, also on a terminal'),
    timeout: duration('10s', 'time limit of each request to the store and to an endpoint'),
  },
  notes: [
    'Prints a table on a terminal, else a line of JSON for each check, those of the service first:',
    'network (or null), check, status (ok, warning, problem, skipped), says, todo.',
    'A check that needs something missing is skipped: solve the first problem first.',
  ],
  env: [['everything', 'that svc serve reads: run it with the same variables']],
  exits: { 0: 'no problem; there may be warnings', 1: 'at least one problem' },
  example: 'svc doctor --network stellar:testnet',
  config: (variables) => loadServeConfig(variables),
  run: async ({ config, flags: { network: only, json, timeout } }) => {
    const networks = config.networks.filter(({ id }) => only === undefined || id === only)
    if (networks.length === 0) throw new UsageError(`${only} is not among the configured NETWORKS`)
    return report(config, networks, { timeoutMs: timeout, isJson: json })
  },
})

async function report(
  config: ServeConfig,
  networks: readonly NetworkConfig[],
  { timeoutMs, isJson }: { readonly timeoutMs: number; readonly isJson: boolean },
): Promise<number> {
  const limits = { clock: systemClock, timeoutMs }
  const sections = checkAll(await gather(config, networks, process.env, limits))
  const isTable = process.stdout.isTTY && !isJson
  process.stdout.write(isTable ? asTable(sections) : asLines(sections))
  const hasProblem = sections.some(({ results }) =>
    results.some(({ status }) => status === 'problem'),
  )
  return hasProblem ? 1 : 0
}
