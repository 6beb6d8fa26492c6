import { preflightProblems } from '../../diagnosis/doctor/preflight.ts'
import { gather } from '../../diagnosis/read/gather.ts'
import { isNetworkId } from '../../platform/core/caip2.ts'
import { printable } from '../../platform/core/text/printable.ts'
import { systemClock } from '../../platform/core/time/clock.ts'
import { loadFacilitatorConfig } from '../../settings/facilitator.ts'
import { command } from '../command-line/command.ts'
import { duration, texts } from '../command-line/flags.ts'
import { UsageError } from '../command-line/usage-error.ts'

export const preflight = command({
  name: 'preflight',
  summary: 'checks that a facilitator with this environment could settle; writes nothing',
  usage: ['svc preflight [--timeout 5s] [--without-channels ID]...'],
  flags: {
    timeout: duration('5s', 'time limit of each request to the store and to an endpoint'),
    'without-channels': texts('ID', 'a network that need not have channels, such as an empty pool'),
  },
  notes: [
    'It checks the database and its schema, and for each network: Stellar RPC answers and is of that',
    'network, the sponsor of the seed is on the ledger, and the database has a channel of it. It',
    'simulates a payment in each asset and scheme, without a signature, to find settings under which',
    'none can be made: a maximum fee below the cost, wrong decimals, timeouts that are too short.',
    'The Kubernetes operator runs it before it replaces pods that serve; see docs/operations.md.',
    'svc doctor checks more, and says what may fail later.',
  ],
  env: [['everything', 'that svc facilitator reads: run it with the same variables']],
  exits: { 0: 'it could settle', 1: 'it could not: a line on standard error for each problem' },
  example: 'svc preflight --timeout 2s',
  config: (variables) => ({ variables, service: loadFacilitatorConfig(variables) }),
  run: async ({ config: { service, variables }, flags }) => {
    const empty = flags['without-channels'].map((id) => {
      if (isNetworkId(id)) return id
      throw new UsageError(`--without-channels is the CAIP-2 name of a network, not ${id}`)
    })
    const limits = { clock: systemClock, timeoutMs: flags.timeout }
    const problems = preflightProblems(
      await gather(service, service.networks, variables, limits),
      empty,
    )
    for (const problem of problems) {
      process.stderr.write(`svc preflight: ${printable(problem)}\n`)
    }
    return problems.length > 0 ? 1 : 0
  },
})
