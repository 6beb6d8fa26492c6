/** Whether the network's endpoints are reliable, and this machine's clock agrees with them. */
import { type NetworkId, passphrases, variablePrefixes } from '../../platform/core/caip2.ts'
import { countOf } from '../../platform/core/text/count-of.ts'
import type { DoctorFacts, Endpoint } from '../facts/doctor-facts.ts'
import { type Answers, foreign, silentOf, usable } from '../facts/endpoints.ts'
import type { NetworkFacts } from '../facts/facts.ts'
import { known, networkCheck } from './check.ts'
import type { Found, Patience, Problem, ReadProblem } from './problem.ts'
import { someOf } from './words.ts'

/** The RPC pool ignores that an endpoint this far behind finds no transaction (docs/architecture.md, "RPC endpoints"). */
const LAGGING_LEDGERS = 12
/** Half the time of a ledger: a settlement makes three requests. */
const SLOW_RPC_MS = 2_500
/** A transaction is valid for 60 s at most; its ledgers must still be there when the service looks it up. */
const MIN_RETAINED_MS = 120_000
/** An outage of the service for longer than this range leaves settlements unresolvable. */
const GOOD_RETAINED_MS = 24 * 3_600_000
/** Ledgers close about every 5 s. */
const STALE_MS = 60_000
/** Close times are whole seconds, and validators may be a little ahead of true time. */
const CLOCK_BEHIND_MS = 5_000
/** An endpoint that has these ledgers has all of them: the network is younger than its retention. */
const FIRST_LEDGERS = 2

const variableOf = (id: NetworkId): string => `${variablePrefixes[id]}RPC_URL`

const named = (endpoints: readonly { readonly name: string }[]): string =>
  someOf(endpoints.map(({ name }) => name))

export const noEndpointAnswers = {
  name: 'rpc-silent',
  health: 'rpc_unhealthy',
  ready: 'rpc',
  stopsSettling: true,
  doctor: 'problem',
  pool: ['RpcUnreachable'],
  find: (
    { id, rpc: { misses, silent = [] } }: Pick<NetworkFacts, 'id' | 'rpc'>,
    { polls }: Patience,
  ): Found => {
    if (misses < polls) return undefined
    const who = silent.length > 0 ? ` (${someOf(silent)})` : ''
    const since = misses > 1 ? ` the last ${misses} polls` : ''
    return {
      says: `no RPC endpoint answered${since}${who}: nothing can be verified or settled`,
      todo: `see that ${variableOf(id)} is right and reachable from this machine`,
    }
  },
} satisfies Problem

export const wrongNetwork: ReadProblem<readonly Endpoint[], Pick<NetworkFacts, 'id'>> = {
  name: 'rpc-wrong-network',
  doctor: 'problem',
  pool: ['RpcWrongNetwork'],
  findIn: (endpoints, { id }) => {
    const wrong = foreign(endpoints, id)
    if (wrong.length === 0) return undefined
    return {
      says: someOf(wrong.map(({ name, answer }) => `${name} serves "${answer.passphrase}"`)),
      todo: `name endpoints of ${id} in ${variableOf(id)}`,
    }
  },
}

const allEndpoints = ({ read }: DoctorFacts) => known(read.endpoints)
const usableOnes = ({ read, id }: DoctorFacts) => known(usable(read.endpoints, id))
const afterRpc = ['rpc', 'rpc-network'] as const

const newestOf = (answers: Answers): number =>
  Math.max(...answers.map(({ answer }) => answer.tip.sequence))

const windowsOf = (answers: Answers) =>
  answers
    .filter(({ answer }) => answer.retained.oldestLedger > FIRST_LEDGERS)
    .map(({ name, answer: { retained } }) => ({
      name,
      ms: (retained.latestCloseTime - retained.oldestCloseTime) * 1_000,
    }))
    .toSorted((one, other) => one.ms - other.ms)

/** An endpoint that keeps its ledgers for less time than this. */
const keepsLessThan =
  (leastMs: number): ReadProblem<Answers, DoctorFacts>['findIn'] =>
  (answers) => {
    const [shortest] = windowsOf(answers)
    if (!shortest || shortest.ms >= leastMs) return undefined
    const todo =
      'use an endpoint that keeps at least a day: settlements in older ledgers become unresolvable'
    return { says: keeps(shortest), todo }
  }

const keeps = ({ name, ms }: { readonly name: string; readonly ms: number }): string =>
  `${name} keeps ${spanOf(ms)} of ledgers`

/** A duration in the largest unit that fits. */
function spanOf(ms: number): string {
  const minutes = ms / 60_000
  if (minutes < 120) return countOf(Math.round(minutes), 'minute')
  const hours = minutes / 60
  return hours < 48 ? countOf(Math.round(hours), 'hour') : countOf(Math.round(hours / 24), 'day')
}

const latencies = (answers: Answers): string =>
  someOf(
    answers
      .toSorted((one, other) => one.answer.latencyMs - other.answer.latencyMs)
      .map(({ name, answer }) => `${name} ${answer.latencyMs.toFixed(0)} ms`),
  )

const seconds = (ms: number): number => Math.floor(Math.abs(ms) / 1_000)

export const rpcChecks = [
  networkCheck({
    name: 'rpc',
    by: ['doctor', 'preflight'],
    read: allEndpoints,
    problems: [
      noEndpointAnswers,
      {
        name: 'rpc-partly-silent',
        doctor: 'warning',
        findIn: (endpoints, { id }) => {
          const silent = silentOf(endpoints)
          if (silent.length === 0) return undefined
          return { says: someOf(silent), todo: `fix or replace it in ${variableOf(id)}` }
        },
      },
    ],
    ok: (endpoints) => `${named(endpoints)} answered`,
  }),
  networkCheck({
    name: 'rpc-network',
    needs: ['rpc'],
    by: ['doctor', 'preflight'],
    read: allEndpoints,
    problems: [wrongNetwork],
    ok: (_, { id }) => `"${passphrases[id]}"`,
  }),
  networkCheck({
    name: 'rpc-protocol',
    needs: afterRpc,
    read: usableOnes,
    problems: [
      {
        name: 'rpc-protocols-differ',
        doctor: 'warning',
        findIn: (answers) =>
          new Set(answers.map(({ answer }) => answer.tip.protocolVersion)).size === 1
            ? undefined
            : {
                says: `the endpoints disagree: ${protocols(answers)}`,
                todo: 'find out which of them is behind, or not upgraded',
              },
      },
    ],
    ok: protocols,
  }),
  networkCheck({
    name: 'rpc-lag',
    needs: afterRpc,
    read: usableOnes,
    problems: [
      {
        name: 'rpc-behind',
        doctor: 'warning',
        findIn: (answers, { id }) => {
          const newest = newestOf(answers)
          const says = answers
            .map(({ name, answer }) => ({ name, behind: newest - answer.tip.sequence }))
            .filter(({ behind }) => behind > LAGGING_LEDGERS)
            .map(({ name, behind }) => `${name} is ${behind} ledgers behind`)
          if (says.length === 0) return undefined
          return {
            says: someOf(says),
            todo: `replace it in ${variableOf(id)}, unless it catches up`,
          }
        },
      },
      {
        name: 'rpc-disputed',
        health: 'rpc_disputed',
        find: ({ id, rpc: { isDisputed = false } }) =>
          isDisputed
            ? {
                says: 'the RPC endpoints contradict each other about the latest ledger: no settlement counts as expired by the word of one alone',
                todo: `compare their ledgers with those of another provider, and remove the wrong one from ${variableOf(id)}`,
              }
            : undefined,
      },
    ],
    ok: (answers) => `at ledger ${newestOf(answers)}`,
  }),
  networkCheck({
    name: 'rpc-retention',
    needs: afterRpc,
    read: usableOnes,
    problems: [
      {
        name: 'rpc-keeps-minutes',
        doctor: 'problem',
        findIn: keepsLessThan(MIN_RETAINED_MS),
      },
      {
        name: 'rpc-keeps-hours',
        doctor: 'warning',
        findIn: keepsLessThan(GOOD_RETAINED_MS),
      },
    ],
    ok: (answers) => {
      const [shortest] = windowsOf(answers)
      return shortest ? keeps(shortest) : 'every ledger since the network began'
    },
  }),
  networkCheck({
    name: 'rpc-latency',
    needs: afterRpc,
    read: usableOnes,
    problems: [
      {
        name: 'rpc-slow',
        doctor: 'warning',
        findIn: (answers) => {
          const slow = answers.filter(({ answer }) => answer.latencyMs >= SLOW_RPC_MS)
          if (slow.length === 0) return undefined
          return { says: latencies(answers), todo: `use a nearer endpoint than ${named(slow)}` }
        },
      },
    ],
    ok: latencies,
  }),
  networkCheck({
    name: 'clock',
    needs: afterRpc,
    read: (facts: DoctorFacts) => known(facts),
    problems: [
      {
        name: 'clock-behind',
        doctor: 'problem',
        findIn: ({ rpc: { ledger } }) =>
          ledger && ledger.ageMs < -CLOCK_BEHIND_MS
            ? {
                says: `this machine's clock is ${seconds(ledger.ageMs)} s behind the newest ledger`,
                todo: 'see that this machine keeps its time by NTP',
              }
            : undefined,
      },
      {
        name: 'ledger-stale',
        health: 'ledger_stale',
        doctor: 'problem',
        find: ({ rpc: { ledger } }) =>
          ledger && ledger.ageMs > STALE_MS
            ? {
                says: `ledger ${ledger.sequence}, the latest read, closed ${seconds(ledger.ageMs)} s ago by the clock of this machine: settlements do not get confirmed`,
                todo: "find out whether the network has stopped or the endpoint is behind; else this machine's clock is ahead",
              }
            : undefined,
      },
    ],
    ok: ({ rpc: { ledger } }) =>
      `the newest ledger closed ${seconds(ledger?.ageMs ?? 0)} s ago by this machine's clock`,
  }),
]

function protocols(answers: Answers): string {
  const versions = new Set(answers.map(({ answer }) => answer.tip.protocolVersion))
  return `protocol ${[...versions].join(' and ')}`
}
