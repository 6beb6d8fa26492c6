/** Whether the sponsor can pay for what comes. */
import { minimumBalance } from '../channels/minimum-balance.ts'
import { formatXlm } from '../core/stroops.ts'
import type { AccountState } from '../stellar/rpc.ts'
import type { CheckName } from './check-names.ts'
import { type Check, judging } from './examine.ts'
import type { LedgerFacts, NetworkFacts } from './facts.ts'
import { ok, problem, skipped, type Verdict, warning } from './verdict.ts'

/** Enough to be told on one day and to act on the next. */
const COMFORTABLE_HOURS = 48
/** Somebody has to act now. */
const LEAST_HOURS = 4

type NetworkCheck = Check<CheckName, NetworkFacts>

/** What fees can be paid from: the rest is locked in reserves. */
const spendableOf = (account: AccountState): bigint => account.balance - minimumBalance(account)

/** Of a sponsor that exists: `sponsor` comes first. */
const ofSponsor = (
  { ledger }: NetworkFacts,
  judge: (account: AccountState, facts: LedgerFacts) => Verdict,
): Verdict =>
  judging(ledger, '', (facts) =>
    facts.sponsor ? judge(facts.sponsor, facts) : skipped('after sponsor'),
  )

const sponsor: NetworkCheck = {
  name: 'sponsor',
  needs: ['rpc', 'rpc-network'],
  judge: ({ ledger, sponsor: address }) =>
    judging(ledger, 'run the command again; see whether the endpoint is overloaded', (facts) =>
      facts.sponsor
        ? ok(address)
        : problem(`${address} does not exist on the ledger`, `send XLM to ${address}`),
    ),
}

const sponsorSignature: NetworkCheck = {
  name: 'sponsor-signature',
  needs: ['sponsor'],
  judge: (facts) =>
    ofSponsor(facts, (_, { signing }) => {
      if (!signing) return skipped('the account could not be read')
      const { masterWeight, low, medium } = signing
      const weighs = `its key weighs ${masterWeight}`
      if (masterWeight === 0 || masterWeight < low) {
        return problem(
          `${weighs}, fees take ${Math.max(low, 1)}`,
          'raise the weight of its master key, or configure a sponsor whose key signs alone',
        )
      }
      if (masterWeight < medium) {
        return warning(
          `${weighs}: enough for fees, not for new channels, which take ${medium}`,
          "raise the weight of the sponsor's master key before svc provision",
        )
      }
      return ok('its key signs alone')
    }),
}

const sponsorBalance: NetworkCheck = {
  name: 'sponsor-balance',
  needs: ['sponsor'],
  judge: (facts) =>
    ofSponsor(facts, (account) => {
      const { network } = facts
      const says = `${formatXlm(account.balance)}, of which ${formatXlm(spendableOf(account))} may be spent`
      const todo = `send XLM to ${account.address}`
      if (account.balance < network.sponsorReserve) {
        return problem(`${says}: below SPONSOR_RESERVE_XLM, settlements are refused`, todo)
      }
      if (spendableOf(account) < network.maxTxFeeStroops) {
        return problem(`${says}: less than a settlement may cost, the rest is locked`, todo)
      }
      if (account.balance < network.minSponsorBalance) {
        return problem(`${says}: below MIN_SPONSOR_BALANCE_XLM`, todo)
      }
      return ok(says)
    }),
}

const sponsorRunway: NetworkCheck = {
  name: 'sponsor-runway',
  needs: ['schema', 'sponsor'],
  judge: (facts) =>
    ofSponsor(facts, (account) =>
      judging(facts.stored, '', ({ hour: { committed: spent } }) => {
        const budget = facts.network.hourlyBudget
        const spends = `${formatXlm(spent)} in the last hour`
        if (budget !== undefined && spent + facts.network.maxTxFeeStroops > budget) {
          return problem(
            `${spends} of the ${formatXlm(budget)} allowed: settlements are refused`,
            'find out who spends (npx svc settlements list --only all) before raising MAX_SPONSOR_SPEND_XLM_PER_HOUR',
          )
        }
        if (spent === 0n) return ok('nothing spent in the last hour')
        const left = runwayOf(account, facts)
        const hours = Number((left * 10n) / spent) / 10
        const says = `${spends}: ${hours} hours until it is used up`
        const todo = `send XLM to ${account.address}`
        if (hours < LEAST_HOURS) return problem(says, todo)
        return hours < COMFORTABLE_HOURS ? warning(says, todo) : ok(says)
      }),
    ),
}

/** What may be spent before settlements are refused. */
function runwayOf(account: AccountState, { network }: NetworkFacts): bigint {
  const aboveReserve = account.balance - network.sponsorReserve
  const spendable = spendableOf(account)
  const least = aboveReserve < spendable ? aboveReserve : spendable
  return least > 0n ? least : 0n
}

export const sponsorChecks: readonly NetworkCheck[] = [
  sponsor,
  sponsorSignature,
  sponsorBalance,
  sponsorRunway,
]
