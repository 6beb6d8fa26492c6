/** Whether the sponsor can pay for the payments to come. */
import { fundsOf, spendableOf } from '../../payments/channels/minimum-balance.ts'
import { formatXlm } from '../../platform/core/amounts/stroops.ts'
import type { AccountState } from '../../stellar/rpc/rpc.ts'
import type { LedgerFacts, NetworkFacts } from '../facts/facts.ts'
import type { CheckName } from './check-names.ts'
import { type Diagnosis, ok, problem, skipped, warning } from './diagnosis.ts'
import { checkFetched, type DoctorCheck } from './run-checks.ts'

/** Two days, so that an administrator can act the day after the warning. */
const WARNING_HOURS = 48
/** Less time than this: act now. */
const PROBLEM_HOURS = 4

type NetworkCheck = DoctorCheck<CheckName, NetworkFacts>

/** Checks a sponsor that exists; that it does is the check `sponsor`. */
const ofSponsor = (
  { ledger }: NetworkFacts,
  check: (account: AccountState, facts: LedgerFacts) => Diagnosis,
): Diagnosis =>
  checkFetched(ledger, '', (facts) =>
    facts.sponsor ? check(facts.sponsor, facts) : skipped('after sponsor'),
  )

const sponsor: NetworkCheck = {
  name: 'sponsor',
  needs: ['rpc', 'rpc-network'],
  run: ({ ledger, sponsor: address }) =>
    checkFetched(
      ledger,
      'run the command again; see whether the endpoint is overloaded',
      (facts) =>
        facts.sponsor
          ? ok(address)
          : problem(`${address} does not exist on the ledger`, `send XLM to ${address}`),
    ),
}

const sponsorSignature: NetworkCheck = {
  name: 'sponsor-signature',
  needs: ['sponsor'],
  run: (facts) =>
    ofSponsor(facts, (_, { signing }) => {
      if (!signing) return skipped('the account could not be read')
      const { masterWeight, low, medium } = signing
      const weight = `its key has weight ${masterWeight}`
      if (masterWeight === 0 || masterWeight < low) {
        return problem(
          `${weight}, paying fees needs ${Math.max(low, 1)}`,
          'raise the weight of its master key, or configure a sponsor whose master key suffices',
        )
      }
      if (masterWeight < medium) {
        return warning(
          `${weight}: enough for fees, not for new channels, which need ${medium}`,
          "raise the weight of the sponsor's master key before svc provision",
        )
      }
      return ok('its key suffices for every transaction')
    }),
}

const sponsorBalance: NetworkCheck = {
  name: 'sponsor-balance',
  needs: ['sponsor'],
  run: (facts) =>
    ofSponsor(facts, (account) => {
      const { network, promisedFees = 0n } = facts
      const spendable = spendableOf(fundsOf(account, promisedFees))
      const promised =
        promisedFees > 0n
          ? ` (${formatXlm(promisedFees)} are promised to settlements under way)`
          : ''
      const says = `${formatXlm(account.balance)}, of which ${formatXlm(spendable)} can be spent${promised}`
      const todo = `send XLM to ${account.address}`
      if (spendable < network.sponsorReserve) {
        return problem(`${says}: below SPONSOR_RESERVE_XLM, settlements are refused`, todo)
      }
      if (spendable < network.maxTxFeeStroops) {
        return problem(`${says}: less than a settlement may cost, the rest is locked`, todo)
      }
      if (spendable < network.minSponsorBalance) {
        return problem(`${says}: below MIN_SPONSOR_BALANCE_XLM`, todo)
      }
      return ok(says)
    }),
}

const sponsorRunway: NetworkCheck = {
  name: 'sponsor-runway',
  needs: ['schema', 'sponsor'],
  run: (facts) =>
    ofSponsor(facts, (account) =>
      checkFetched(facts.stored, '', ({ hour: { committed: spent } }) => {
        const budget = facts.network.hourlyBudget
        const spends = `${formatXlm(spent)} in the last hour`
        if (budget !== undefined && spent + facts.network.maxTxFeeStroops > budget) {
          return problem(
            `${spends} of the ${formatXlm(budget)} allowed: settlements are refused`,
            'find out who spends it (svc settlements list --only all) before raising MAX_SPONSOR_SPEND_XLM_PER_HOUR',
          )
        }
        if (spent === 0n) return ok('nothing spent in the last hour')
        const left = runwayOf(account, facts)
        const hours = Number((left * 10n) / spent) / 10
        const says = `${spends}: ${timeOf(hours)} until it is used up`
        const todo = `send XLM to ${account.address}`
        if (hours < PROBLEM_HOURS) return problem(says, todo)
        return hours < WARNING_HOURS ? warning(says, todo) : ok(says)
      }),
    ),
}

const HOURS_OF_A_YEAR = 24 * 365

const timeOf = (hours: number): string =>
  hours > HOURS_OF_A_YEAR ? 'more than a year' : `${hours} hours`

/** The fees that can be paid before settlements are refused. */
function runwayOf(account: AccountState, facts: NetworkFacts): bigint {
  const left = spendableOf(fundsOf(account, facts.promisedFees)) - facts.network.sponsorReserve
  return left > 0n ? left : 0n
}

export const sponsorChecks: readonly NetworkCheck[] = [
  sponsor,
  sponsorSignature,
  sponsorBalance,
  sponsorRunway,
]
