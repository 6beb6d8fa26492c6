/** Whether the sponsor can pay for the payments to come. */
import { type Funds, spendableOf } from '../../payments/channels/minimum-balance.ts'
import { formatXlm, roundedXlm, tenthsUp } from '../../platform/core/amounts/stroops.ts'
import type { DoctorFacts, LedgerFacts, StoredFacts } from '../facts/doctor-facts.ts'
import type { NetworkFacts } from '../facts/facts.ts'
import { networkCheck } from './check.ts'
import type { Finding, Found, Problem, ReadProblem } from './problem.ts'
import { signerCheck } from './signer.ts'

/** Two days, so that an administrator can act the day after the warning. */
const WARNING_HOURS = 48
/** With fewer hours left it is a problem: the administrator has to act now. */
const PROBLEM_HOURS = 4

/** Rounded: every settlement changes it, and each message of a condition that differs is a write to the API server. */
export const canSpend = (funds: Funds): string =>
  `the sponsor can spend ${formatXlm(roundedXlm(spendableOf(funds)))} of its ${formatXlm(roundedXlm(funds.stroops))}`

/** Says that the sponsor can spend less than this, and what to send it; undefined when it can spend as much. */
export function lacksFunds(
  { address, funds }: { readonly address: string; readonly funds: Funds },
  required: bigint,
): Finding | undefined {
  const lacks = required - spendableOf(funds)
  if (lacks <= 0n) return undefined
  return {
    says: `${canSpend(funds)}, less than the required ${formatXlm(required)}`,
    todo: `send ${formatXlm(tenthsUp(lacks))} to ${address}`,
  }
}

/** Where the rest of the balance is. */
const rest = ({ locked, promised }: Funds): string =>
  ` (reserves lock ${formatXlm(locked)}, settlements under way may cost ${formatXlm(promised)})`

export const missingSponsor = (address: string): Finding => ({
  says: `sponsor ${address} does not exist on the ledger`,
  todo: `send XLM to ${address}`,
})

interface SponsorFacts {
  readonly sponsor: Pick<NetworkFacts['sponsor'], 'address' | 'balance'>
}

export const sponsorMissing = {
  name: 'sponsor-missing',
  health: 'sponsor_below_floor',
  ready: 'sponsor',
  stopsSettling: true,
  doctor: 'problem',
  pool: ['SponsorMissing'],
  find: ({ sponsor: { address, balance } }: SponsorFacts): Found =>
    balance.kind === 'missing' ? missingSponsor(address) : undefined,
} satisfies Problem

const balanceUnknown: Problem = {
  name: 'sponsor-unknown',
  pool: ['RpcUnreachable'],
  health: 'sponsor_below_floor',
  ready: 'sponsor',
  stopsSettling: true,
  find: ({ sponsor: { balance } }, { unknownMs }) =>
    balance.kind === 'unknown' && balance.forMs > unknownMs
      ? {
          says: `the sponsor's balance is unknown for ${Math.round(balance.forMs / 1_000)} s: settlements are refused`,
          todo: 'see that the RPC endpoints answer requests for ledger entries',
        }
      : undefined,
}

const belowFloor: Problem = {
  name: 'sponsor-below-floor',
  health: 'sponsor_below_floor',
  ready: 'sponsor',
  doctor: 'problem',
  pool: ['SponsorLow', 'SponsorShort', 'SponsorCannotPay'],
  find: ({ sponsor: { address, floor, balance } }) => {
    if (balance.kind !== 'known') return undefined
    const finding = lacksFunds({ address, funds: balance }, floor)
    return (
      finding && {
        ...finding,
        says: `${finding.says} of MIN_SPONSOR_BALANCE_XLM${rest(balance)}`,
      }
    )
  },
}

type OfLedger = ReadProblem<LedgerFacts, DoctorFacts>

const belowReserve: OfLedger = {
  name: 'sponsor-below-reserve',
  doctor: 'problem',
  findIn: (_, { network, sponsor: { address, balance } }) => {
    if (balance.kind !== 'known') return undefined
    const { sponsorReserve: reserve, maxTxFeeStroops: fee } = network
    const finding = lacksFunds({ address, funds: balance }, reserve > fee ? reserve : fee)
    const what = reserve > fee ? 'SPONSOR_RESERVE_XLM' : 'the maximum fee of a settlement'
    return (
      finding && {
        ...finding,
        says: `${finding.says} of ${what}: settlements are refused${rest(balance)}`,
      }
    )
  },
}

const weight = ({ signing }: LedgerFacts): string => `its key has weight ${signing?.masterWeight}`

const signatureProblems: readonly OfLedger[] = [
  {
    name: 'sponsor-key-cannot-pay',
    doctor: 'problem',
    findIn: (read) => {
      const { masterWeight = 1, low = 0 } = read.signing ?? {}
      if (masterWeight > 0 && masterWeight >= low) return undefined
      return {
        says: `${weight(read)}, paying fees needs ${Math.max(low, 1)}`,
        todo: 'raise the weight of its master key, or configure a sponsor whose master key suffices',
      }
    },
  },
  {
    name: 'sponsor-key-cannot-create',
    doctor: 'warning',
    findIn: (read) => {
      const { masterWeight = 1, medium = 0 } = read.signing ?? {}
      if (masterWeight >= medium) return undefined
      return {
        says: `${weight(read)}: enough for fees, not for new channels, which need ${medium}`,
        todo: "raise the weight of the sponsor's master key before svc provision",
      }
    },
  },
]

const HOURS_OF_A_YEAR = 24 * 365

/** Hours until settlements are refused, if the sponsor spends as in the last hour; infinite while it spends nothing. */
function hoursLeft({ hour: { committed } }: StoredFacts, facts: DoctorFacts): number {
  const { balance } = facts.sponsor
  if (committed === 0n || balance.kind !== 'known') return Number.POSITIVE_INFINITY
  const left = spendableOf(balance) - facts.network.sponsorReserve
  return left > 0n ? Number((left * 10n) / committed) / 10 : 0
}

const spending = ({ hour }: StoredFacts): string => `${formatXlm(hour.committed)} in the last hour`

function runway(stored: StoredFacts, facts: DoctorFacts): string {
  const hours = hoursLeft(stored, facts)
  const time = hours > HOURS_OF_A_YEAR ? 'more than a year' : `${hours} hours`
  return `${spending(stored)}: ${time} until it is used up`
}

type OfStore = ReadProblem<StoredFacts, DoctorFacts>

const endsWithin =
  (limit: number): OfStore['findIn'] =>
  (stored, facts) =>
    hoursLeft(stored, facts) < limit
      ? { says: runway(stored, facts), todo: `send XLM to ${facts.sponsor.address}` }
      : undefined

const runwayProblems: readonly OfStore[] = [
  {
    name: 'hourly-budget-spent',
    doctor: 'problem',
    findIn: (stored, { network: { hourlyBudget, maxTxFeeStroops } }) =>
      hourlyBudget !== undefined && stored.hour.committed + maxTxFeeStroops > hourlyBudget
        ? {
            says: `${spending(stored)} of the ${formatXlm(hourlyBudget)} allowed: settlements are refused`,
            todo: 'find out who spends it (svc settlements list --only all) before raising MAX_SPONSOR_SPEND_XLM_PER_HOUR',
          }
        : undefined,
  },
  { name: 'sponsor-ends-today', doctor: 'problem', findIn: endsWithin(PROBLEM_HOURS) },
  { name: 'sponsor-ends-soon', doctor: 'warning', findIn: endsWithin(WARNING_HOURS) },
]

const readLedger = ({ read }: DoctorFacts) => read.ledger

export const sponsorChecks = [
  networkCheck({
    name: 'sponsor',
    needs: ['rpc', 'rpc-network'],
    by: ['doctor', 'preflight'],
    read: readLedger,
    again: 'run the command again; see whether the endpoint is overloaded',
    problems: [sponsorMissing],
    ok: (_, { sponsor }) => sponsor.address,
  }),
  signerCheck,
  networkCheck({
    name: 'sponsor-signature',
    needs: ['sponsor'],
    by: ['doctor', 'preflight'],
    read: readLedger,
    problems: signatureProblems,
    ok: () => 'its key suffices for every transaction',
  }),
  networkCheck({
    name: 'sponsor-balance',
    needs: ['sponsor'],
    read: readLedger,
    problems: [balanceUnknown, belowReserve, belowFloor],
    ok: (_, { sponsor: { balance } }) => (balance.kind === 'known' ? has(balance) : balance.kind),
  }),
  networkCheck({
    name: 'sponsor-runway',
    needs: ['schema', 'sponsor'],
    read: ({ read }) => read.stored,
    problems: runwayProblems,
    ok: (stored, facts) =>
      stored.hour.committed === 0n ? 'nothing spent in the last hour' : runway(stored, facts),
  }),
]

function has(funds: Funds): string {
  const { stroops, promised } = funds
  const says = `${formatXlm(stroops)}, of which ${formatXlm(spendableOf(funds))} can be spent`
  return promised > 0n
    ? `${says} (${formatXlm(promised)} are promised to settlements under way)`
    : says
}
