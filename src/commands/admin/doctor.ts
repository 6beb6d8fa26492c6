import { checkAll, type Section } from '../../diagnosis/doctor/run-checks.ts'
import { asLines, asTable } from '../../diagnosis/doctor/show.ts'
import { gather } from '../../diagnosis/read/gather.ts'
import { systemClock } from '../../platform/core/time/clock.ts'
import { loadServeConfig } from '../../settings/serve.ts'
import { command } from '../command-line/command.ts'
import { duration, networkId } from '../command-line/flags.ts'
import { isForPerson, outputFlags } from '../command-line/for-person.ts'
import { UsageError } from '../command-line/usage-error.ts'
import { variablesOrDemo } from '../development/demo-variables.ts'

export const doctor = command({
  name: 'doctor',
  summary: 'finds what keeps payments from being made, and says what to do; writes nothing',
  usage: ['svc doctor [--network ID] [--timeout 5s] [--json | --human]'],
  flags: {
    network: networkId('of the configured NETWORKS, this one only'),
    ...outputFlags,
    timeout: duration('5s', 'time limit of each request to the store and to an endpoint'),
  },
  notes: [
    'Prints a table on a terminal, else a line of JSON for each check, those of the service first:',
    'network (or null), check, status (ok, warning, problem, skipped), says, todo.',
    'A check that needs something missing is skipped: solve the first problem first.',
    'Without DATABASE_URL and STORE it looks at the running demo, if any.',
  ],
  env: [['everything', 'that svc serve reads: run it with the same variables']],
  exits: { 0: 'no problem; there may be warnings', 1: 'at least one problem' },
  example: 'svc doctor --network stellar:testnet',
  config: async (own) => {
    const variables = await variablesOrDemo('doctor', own)
    return { variables, service: loadServeConfig(variables) }
  },
  run: async ({ config: { service, variables }, flags }) => {
    const { network: only, timeout: timeoutMs } = flags
    const networks = service.networks.filter(({ id }) => only === undefined || id === only)
    if (networks.length === 0) throw new UsageError(`${only} is not among the configured NETWORKS`)
    const limits = { clock: systemClock, timeoutMs }
    const sections = checkAll(await gather(service, networks, variables, limits), 'doctor')
    process.stdout.write(isForPerson(flags) ? asTable(sections) : asLines(sections))
    return exitCodeOf(sections)
  },
})

function exitCodeOf(sections: readonly Section[]): number {
  const hasProblem = sections.some(({ results }) =>
    results.some(({ status }) => status === 'problem'),
  )
  return hasProblem ? 1 : 0
}
