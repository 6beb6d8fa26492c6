/** Which of the checks of `svc doctor` a process must pass to settle payments, and the one that only it needs. */
import type { NetworkId } from '../platform/core/caip2.ts'
import type { CheckName } from './checks/check-names.ts'
import { countOf, type Diagnosis, ok, problem } from './checks/diagnosis.ts'
import { rpcChecks } from './checks/rpc.ts'
import { type CheckResult, checkFetched, type DoctorCheck, runChecks } from './checks/run-checks.ts'
import { serviceChecks } from './checks/service.ts'
import { sponsorChecks } from './checks/sponsor.ts'
import type { NetworkFacts } from './facts/facts.ts'
import type { Gathered } from './gather.ts'

type Name = CheckName | 'leasable-channels'
type NetworkCheck = DoctorCheck<Name, NetworkFacts>

/** Without these, no payment can be settled; the other checks of `svc doctor` may fail meanwhile. */
const needed: ReadonlySet<Name> = new Set<Name>([
  'store',
  'schema',
  'rpc',
  'rpc-network',
  'sponsor',
  'sponsor-signature',
])

/** The command does not know how many channels there should be: one suffices. */
const leasableChannels: NetworkCheck = {
  name: 'leasable-channels',
  needs: ['schema', 'sponsor'],
  run: ({ ledger, stored, sponsor, network: { id } }) =>
    checkFetched(ledger, 'run the command again', ({ channels: found }) =>
      checkFetched(stored, 'run the command again', ({ channels }): Diagnosis => {
        const own = channels.filter((channel) => channel.sponsor === sponsor)
        const active = own.filter(({ state, account }) => state === 'active' && found.has(account))
        if (active.length > 0) return ok(countOf(active.length, 'channel'))
        const others = new Set(channels.map((channel) => channel.sponsor)).size
        const says = `the database has no channel of sponsor ${sponsor} that a settlement could lease`
        const todo =
          own.length === 0 && others > 0
            ? `it has those of another sponsor: put its seed back, or create a ChannelPool with the new seed`
            : `wait until the ChannelPool of ${id} is Ready, or run svc provision`
        return problem(says, todo)
      }),
    ),
}

/** The problems of one process, without those of networks whose channels do not count. */
export function preflightProblems(
  { service, networks }: Gathered,
  withoutChannels: readonly NetworkId[],
): readonly string[] {
  const isNeeded = ({ name }: { readonly name: Name }) => needed.has(name)
  const own: readonly CheckResult<Name>[] = runChecks(serviceChecks.filter(isNeeded), service)
  const perNetwork = networks.flatMap((facts) => {
    const { id } = facts.network
    const checks: NetworkCheck[] = [...rpcChecks, ...sponsorChecks].filter(isNeeded)
    if (!withoutChannels.includes(id)) checks.push(leasableChannels)
    return problemsOf(runChecks(checks, facts, own), `${id}: `)
  })
  return [...problemsOf(own, ''), ...perNetwork]
}

const problemsOf = (results: readonly CheckResult<Name>[], where: string): readonly string[] =>
  results.flatMap(({ check, status, says, todo }) =>
    status === 'problem' ? [`${where}${check}: ${says}: ${todo}`] : [],
  )
