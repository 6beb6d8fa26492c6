import { channelChecks } from './channel-checks.ts'
import type { NetworkFacts } from './facts.ts'
import type { Gathered } from './gather.ts'
import { paymentChecks } from './payment-checks.ts'
import { rpcChecks } from './rpc-checks.ts'
import { runChecks } from './run-checks.ts'
import { serviceChecks } from './service-checks.ts'
import type { Section } from './show.ts'
import { sponsorChecks } from './sponsor-checks.ts'
import { uptoChecks } from './upto-checks.ts'

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
