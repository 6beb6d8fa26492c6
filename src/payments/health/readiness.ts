import type { NetworkFacts } from '../../diagnosis/facts/facts.ts'
import {
  type Finding,
  findingsOf,
  noPatience,
  type Problem,
} from '../../diagnosis/problems/problem.ts'
import { sharedProblems } from '../../diagnosis/problems/table.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import type { ReadinessCheck } from '../../platform/http/readiness.ts'
import { type PolledNetwork, polledFacts } from './network/polled-facts.ts'

type CheckName = NonNullable<Problem['ready']>

/** The detail of a check: of one that passes, and of one that fails because of a finding. */
const details: Readonly<
  Record<CheckName, (facts: NetworkFacts, readAgo: string, failed?: Finding) => string>
> = {
  rpc: (_, readAgo, failed) => [failed?.says, readAgo].filter(Boolean).join('; '),
  // The balance in stroops; a check that fails although the balance suffices says why.
  sponsor: ({ sponsor: { balance, floor } }, _, failed) => {
    if (balance.kind !== 'known') return failed?.says ?? ''
    const stroops = balance.stroops.toString()
    return failed && balance.stroops >= floor ? `${stroops}: ${failed.says}` : stroops
  },
  channels: ({ channels }) => String(channels.total),
}

/**
 * The checks of `/ready` for one network. Each returns what the last poll read, or throws an error that says
 * what is wrong. They send no request, so that frequent probes cost nothing.
 */
export function readinessOf(
  network: PolledNetwork,
  clock: Pick<Clock, 'now'>,
): Record<string, ReadinessCheck> {
  const check = (name: CheckName): ReadinessCheck => {
    const problems = sharedProblems.filter(({ ready }) => ready === name)
    return async () => {
      const facts = polledFacts(network, clock)
      const failed = firstOf(problems, facts)
      const detail = details[name](facts, ledgerRead(network, clock), failed)
      if (failed) throw new Error(detail)
      return detail
    }
  }
  return Object.fromEntries(
    (['rpc', 'sponsor', 'channels'] as const).map((name) => [`${network.id}:${name}`, check(name)]),
  )
}

function ledgerRead({ monitor }: PolledNetwork, clock: Pick<Clock, 'now'>): string {
  const { latest } = monitor.tip
  if (!latest) return ''
  const ageSeconds = Math.floor((clock.now() - latest.readAt) / 1_000)
  return `ledger ${latest.value.sequence}, read ${ageSeconds} s ago`
}

function firstOf(problems: readonly Problem[], facts: NetworkFacts): Finding | undefined {
  for (const { find } of problems) {
    const [finding] = findingsOf(find(facts, noPatience))
    if (finding) return finding
  }
  return undefined
}

/**
 * Passes once the process could settle on one network at least, and then for ever. Its pods serve only after that, so
 * that pods with a wrong seed or a dead endpoint do not get requests. It is latched, because a later outage is the
 * same for all replicas: taking them all out of the Service helps no payment. One network suffices, because an outage of
 * one network must not keep new pods from serving the other one.
 */
export function settledOnce(
  networks: readonly PolledNetwork[],
  clock: Pick<Clock, 'now'>,
): ReadinessCheck {
  const problems = sharedProblems.filter(({ stopsSettling }) => stopsSettling)
  const latched = new Set<string>()
  return async () => {
    const reasons = networks.map((network) => {
      const reason = firstOf(problems, polledFacts(network, clock))?.says
      if (reason === undefined) latched.add(network.id)
      return `${network.id}: ${reason}`
    })
    if (latched.size > 0) return undefined
    throw new Error(`no payment could be settled yet: ${reasons.join('; ')}`)
  }
}
