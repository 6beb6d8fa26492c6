import { channelChecks } from './checks/channels.ts'
import { paymentChecks } from './checks/payments.ts'
import { rpcChecks } from './checks/rpc.ts'
import { runChecks } from './checks/run-checks.ts'
import { serviceChecks } from './checks/service.ts'
import { sponsorChecks } from './checks/sponsor.ts'
import { uptoChecks } from './checks/upto.ts'
import type { NetworkFacts } from './facts/facts.ts'
import type { Gathered } from './gather.ts'
import type { Section } from './show.ts'

/** The checks of each network; they run after the service's own. */
export const networkChecks = [
  ...rpcChecks,
  ...sponsorChecks,
  ...channelChecks,
  ...paymentChecks,
  ...uptoChecks,
]

/** Those of the scheme `upto` only where it is served. */
const checksOf = ({ upto }: NetworkFacts) =>
  upto ? networkChecks : networkChecks.filter((check) => !uptoChecks.includes(check))

/** Runs every check: those of the service, then those of each network. */
export function checkAll({ service, networks }: Gathered): readonly Section[] {
  const own = runChecks(serviceChecks, service)
  return [
    { network: undefined, results: own },
    ...networks.map((facts) => ({
      network: facts.network.id,
      results: runChecks(checksOf(facts), facts, own),
    })),
  ]
}
