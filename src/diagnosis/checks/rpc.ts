/** Whether the network's endpoints are reliable, and this machine's clock agrees with them. */
import { type NetworkId, passphrases, variablePrefixes } from '../../platform/core/caip2.ts'
import type { Endpoint, EndpointAnswer, NetworkFacts } from '../facts/facts.ts'
import type { CheckName } from './check-names.ts'
import { countOf, ok, problem, someOf, warning } from './diagnosis.ts'
import type { DoctorCheck } from './run-checks.ts'

/** The RPC pool ignores that an endpoint this far behind finds no transaction (docs/architecture.md, "RPC endpoints"). */
const LAGGING_LEDGERS = 12
/** Half the time of a ledger: a settlement makes three requests. */
const SLOW_RPC_MS = 2_500
/** A transaction is valid for 60 s at most; its ledgers must still be there when the service looks it up. */
const MIN_RETAINED_MS = 120_000
/** An outage of the service for longer than this range leaves settlements unresolvable. */
const GOOD_RETAINED_MS = 24 * 3_600_000
/** Ledgers close about every 5 s; `/health` calls the network stale after this. */
const STALE_MS = 60_000
/** Close times are whole seconds, and validators may be a little ahead of true time. */
const CLOCK_BEHIND_MS = 5_000
/** An endpoint that has these ledgers has all of them: the network is younger than its retention. */
const FIRST_LEDGERS = 2

type NetworkCheck = DoctorCheck<CheckName, NetworkFacts>

interface AnsweringEndpoint {
  readonly name: string
  readonly answer: EndpointAnswer
}

const answering = (endpoints: readonly Endpoint[]): readonly AnsweringEndpoint[] =>
  endpoints.flatMap(({ name, answer }) => (answer.ok ? [{ name, answer: answer.value }] : []))

export interface EndpointsOfNetwork {
  readonly endpoints: readonly Endpoint[]
  readonly network: { readonly id: NetworkId }
}

/** The endpoints that answer and serve the right network. */
export const usable = ({ endpoints, network }: EndpointsOfNetwork) =>
  answering(endpoints).filter(({ answer }) => answer.passphrase === passphrases[network.id])

const variableOf = ({ network }: NetworkFacts): string => `${variablePrefixes[network.id]}RPC_URL`

const named = (endpoints: readonly { readonly name: string }[]): string =>
  someOf(endpoints.map(({ name }) => name))

const newestOf = (facts: NetworkFacts): number =>
  Math.max(...usable(facts).map(({ answer }) => answer.tip.sequence))

const rpc: NetworkCheck = {
  name: 'rpc',
  run: (facts) => {
    const { endpoints } = facts
    const silent = endpoints.flatMap(({ name, answer }) =>
      answer.ok ? [] : [{ name, says: `${name}: ${answer.why}` }],
    )
    if (silent.length === 0) {
      return ok(`${named(endpoints)} answered`)
    }
    const says = someOf(silent.map((each) => each.says))
    if (silent.length < endpoints.length) {
      return warning(says, `fix or replace it in ${variableOf(facts)}`)
    }
    return problem(says, `see that ${variableOf(facts)} is right and reachable from this machine`)
  },
}

const rpcNetwork: NetworkCheck = {
  name: 'rpc-network',
  needs: ['rpc'],
  run: (facts) => {
    const { endpoints, network } = facts
    const wrong = answering(endpoints).filter(
      ({ answer }) => answer.passphrase !== passphrases[network.id],
    )
    if (wrong.length === 0) return ok(`"${passphrases[network.id]}"`)
    const served = someOf(wrong.map(({ name, answer }) => `${name} serves "${answer.passphrase}"`))
    return problem(served, `name endpoints of ${network.id} in ${variableOf(facts)}`)
  },
}

const rpcProtocol: NetworkCheck = {
  name: 'rpc-protocol',
  needs: ['rpc', 'rpc-network'],
  run: (facts) => {
    const versions = new Set(usable(facts).map(({ answer }) => answer.tip.protocolVersion))
    const says = `protocol ${[...versions].join(' and ')}`
    if (versions.size === 1) return ok(says)
    return warning(
      `the endpoints disagree: ${says}`,
      'find out which of them is behind, or not upgraded',
    )
  },
}

const rpcLag: NetworkCheck = {
  name: 'rpc-lag',
  needs: ['rpc', 'rpc-network'],
  run: (facts) => {
    const newest = newestOf(facts)
    const behind = usable(facts).filter(
      ({ answer }) => newest - answer.tip.sequence > LAGGING_LEDGERS,
    )
    if (behind.length === 0) return ok(`at ledger ${newest}`)
    const says = behind.map(
      ({ name, answer }) => `${name} is ${newest - answer.tip.sequence} ledgers behind`,
    )
    return warning(someOf(says), `replace it in ${variableOf(facts)}, unless it catches up`)
  },
}

const rpcRetention: NetworkCheck = {
  name: 'rpc-retention',
  needs: ['rpc', 'rpc-network'],
  run: (facts) => {
    const windows = usable(facts).map(({ name, answer: { retained } }) => ({
      name,
      isWhole: retained.oldestLedger <= FIRST_LEDGERS,
      ms: (retained.latestCloseTime - retained.oldestCloseTime) * 1_000,
    }))
    const shortest = windows
      .filter(({ isWhole }) => !isWhole)
      .toSorted((one, other) => one.ms - other.ms)[0]
    if (!shortest) return ok('every ledger since the network began')
    const { name, ms } = shortest
    const says = `${name} keeps ${spanOf(ms)} of ledgers`
    const todo =
      'use an endpoint that keeps at least a day: settlements in older ledgers become unresolvable'
    if (ms < MIN_RETAINED_MS) return problem(says, todo)
    return ms < GOOD_RETAINED_MS ? warning(says, todo) : ok(says)
  },
}

/** In the largest unit that fits. */
function spanOf(ms: number): string {
  const minutes = ms / 60_000
  if (minutes < 120) return countOf(Math.round(minutes), 'minute')
  const hours = minutes / 60
  return hours < 48 ? countOf(Math.round(hours), 'hour') : countOf(Math.round(hours / 24), 'day')
}

const rpcLatency: NetworkCheck = {
  name: 'rpc-latency',
  needs: ['rpc', 'rpc-network'],
  run: (facts) => {
    const all = usable(facts).toSorted(
      (one, other) => one.answer.latencyMs - other.answer.latencyMs,
    )
    const slow = all.filter(({ answer }) => answer.latencyMs >= SLOW_RPC_MS)
    const says = someOf(all.map(({ name, answer }) => `${name} ${answer.latencyMs.toFixed(0)} ms`))
    if (slow.length === 0) return ok(says)
    return warning(says, `use a nearer endpoint than ${named(slow)}`)
  },
}

const clock: NetworkCheck = {
  name: 'clock',
  needs: ['rpc', 'rpc-network'],
  run: (facts) => {
    const ages = usable(facts).map(({ answer }) => answer.answeredAt - answer.tip.closeTime * 1_000)
    const age = Math.min(...ages)
    const seconds = Math.abs(Math.round(age / 1_000))
    const says = `the newest ledger closed ${seconds} s ago by this machine's clock`
    if (age < -CLOCK_BEHIND_MS) {
      return problem(
        `this machine's clock is ${seconds} s behind the newest ledger`,
        'see that this machine keeps its time by NTP',
      )
    }
    if (age <= STALE_MS) return ok(says)
    return problem(
      says,
      "find out whether the network has stopped or the endpoint is behind; else this machine's clock is ahead",
    )
  },
}

export const rpcChecks: readonly NetworkCheck[] = [
  rpc,
  rpcNetwork,
  rpcProtocol,
  rpcLag,
  rpcRetention,
  rpcLatency,
  clock,
]
