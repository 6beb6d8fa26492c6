/** Whether any payment can be made on the terms of the settings. */
import type { TermsReport } from '../../payments/store/replica-heartbeats.ts'
import { countOf } from '../../platform/core/text/count-of.ts'
import type { DoctorFacts } from '../facts/doctor-facts.ts'
import type { NetworkFacts } from '../facts/facts.ts'
import type { TermsFacts, TrialOutcome, TriedAsset, TriedPayment } from '../facts/trial-facts.ts'
import { known, networkCheck } from './check.ts'
import { type Finding, type Found, findingsOf, noPatience, type Problem } from './problem.ts'
import { assetField, settingName } from './setting-name.ts'
import { someOf } from './words.ts'

/** The bids of a busy network and the checks of smart accounts come to what a likely payment costs at the lowest bid. */
const AMPLE_FEE_FACTOR = 2n
const FEE_STEP = 1_000n

const ofTerms =
  (find: (terms: TermsFacts, facts: NetworkFacts) => Found): Problem['find'] =>
  (facts) =>
    facts.terms && find(facts.terms, facts)

const ofTried =
  (find: (tried: readonly TriedAsset[], facts: NetworkFacts) => Found): Problem['find'] =>
  (facts) =>
    facts.trial?.value && find(facts.trial.value, facts)

/** A ledger has to close between the signature and the settlement, besides those of the margin. */
const ledgersNeeded = ({ expirationMarginLedgers: margin }: TermsFacts): number =>
  Math.max(1, margin) + 1

const timeoutTooShort: Problem = {
  name: 'terms-timeout-too-short',
  health: 'terms_unpayable',
  doctor: 'problem',
  find: ofTerms((terms, { id }) => {
    const { timeoutMaxSeconds: seconds, secondsPerLedger } = terms
    const ledgers = Math.ceil(seconds / secondsPerLedger)
    const needed = ledgersNeeded(terms)
    if (ledgers >= needed) return undefined
    const field = settingName(id, 'TIMEOUT_MAX_SECONDS')
    return {
      says: `a payment may be valid for ${seconds} s at most, by ${field}: that is ${countOf(ledgers, 'ledger')}, a settlement needs ${needed}, so each payment expires first`,
      todo: `raise ${field} to at least ${needed * secondsPerLedger} s`,
    }
  }),
}

const amountOfNothing: Problem = {
  name: 'terms-amount-of-nothing',
  health: 'terms_unpayable',
  doctor: 'problem',
  find: ofTerms(({ assets }, { id }) =>
    assets
      .filter(({ max }) => max === 0n)
      .map(({ symbol }) => ({
        says: `${assetField(id, 'maxAmount')} of ${symbol} is 0: each payment in it is refused`,
        todo: 'raise it to at least 1, or leave it out for no limit',
      })),
  ),
}

interface TriedScheme extends TriedPayment {
  readonly symbol: string
}

const paymentsOf = (tried: readonly TriedAsset[]): readonly TriedScheme[] =>
  tried.flatMap(({ asset: { symbol }, payments }) =>
    payments.map((payment) => ({ ...payment, symbol })),
  )

type Dear = Extract<TrialOutcome, { kind: 'dear' | 'tooDear' }>

/** The schemes whose fee is above the ceiling in this way, and the ceiling that would do. */
function aboveCeiling(
  tried: readonly TriedAsset[],
  { id }: NetworkFacts,
  { kind, by }: { readonly kind: Dear['kind']; readonly by: 'least' | 'likely' },
) {
  const dear = paymentsOf(tried).flatMap(({ scheme, symbol, outcome }) =>
    outcome.kind === kind ? [{ scheme, symbol, ...outcome }] : [],
  )
  if (dear.length === 0) return undefined
  const most = dear.reduce((largest, { likely }) => (likely > largest ? likely : largest), 0n)
  const field = settingName(id, 'MAX_TX_FEE_STROOPS')
  return {
    field,
    each: someOf(dear.map((one) => `${one[by]} by ${one.scheme} in ${one.symbol}`)),
    ample: ((most * AMPLE_FEE_FACTOR) / FEE_STEP + 1n) * FEE_STEP,
  }
}

const feeAboveCeiling: Problem = {
  name: 'terms-fee-above-ceiling',
  health: 'terms_unpayable',
  doctor: 'problem',
  find: ofTried((tried, facts) => {
    const found = aboveCeiling(tried, facts, { kind: 'tooDear', by: 'least' })
    return (
      found && {
        says: `each payment is refused that costs more than the ${facts.terms?.maxTxFeeStroops} stroops of ${found.field}, and the least is ${found.each}`,
        todo: `raise ${found.field} to ${found.ample}`,
      }
    )
  }),
}

const likelyFeeAboveCeiling: Problem = {
  name: 'terms-likely-fee-above-ceiling',
  health: 'terms_fee_low',
  doctor: 'warning',
  find: ofTried((tried, facts) => {
    const found = aboveCeiling(tried, facts, { kind: 'dear', by: 'likely' })
    return (
      found && {
        says: `most payments will be refused: ${found.field} is ${facts.terms?.maxTxFeeStroops} stroops, and a payment between two accounts costs about ${found.each}`,
        todo: `raise ${found.field} to ${found.ample}`,
      }
    )
  }),
}

const assetNotOnLedger: Problem = {
  name: 'terms-asset-not-on-ledger',
  // `contract_missing` of /health says the same of a running service.
  doctor: 'problem',
  find: ofTried((tried, { id }) =>
    tried
      .filter(({ isOnLedger }) => !isOnLedger)
      .map(({ asset: { symbol, contract } }) => ({
        says: `contract ${contract} (${symbol}) is not on the ledger: no payment in it can be made`,
        todo: `correct ${assetField(id, 'contract')}`,
      })),
  ),
}

const paymentRefused: Problem = {
  name: 'terms-payment-refused',
  health: 'terms_unpayable',
  doctor: 'problem',
  find: ofTried((tried, { id }) =>
    paymentsOf(tried).flatMap(({ scheme, symbol, outcome }) =>
      outcome.kind === 'refused'
        ? {
            says: `each payment of the scheme ${scheme} in ${symbol} is refused: ${outcome.why}`,
            todo: `leave ${symbol} out of ${assetField(id, 'contract')}`,
          }
        : [],
    ),
  ),
}

const decimalsDiffer: Problem = {
  name: 'terms-decimals-differ',
  health: 'asset_decimals_differ',
  doctor: 'problem',
  find: ofTried((tried, { id }) =>
    tried.flatMap(({ asset: { symbol, contract, decimals }, decimals: onLedger }) =>
      onLedger !== undefined && onLedger !== decimals
        ? {
            says: `${symbol} (${contract}) has ${onLedger} decimals on the ledger, by ${assetField(id, 'decimals')} it has ${decimals}: amounts in base units that were computed with it are wrong`,
            todo: `set its decimals to ${onLedger}`,
          }
        : [],
    ),
  ),
}

const pureProblems = [timeoutTooShort, amountOfNothing]
const triedProblems = [assetNotOnLedger, feeAboveCeiling, paymentRefused, decimalsDiffer]
const triedWarnings = [likelyFeeAboveCeiling]

export const termsChecks = [
  networkCheck({
    name: 'terms',
    needs: ['rpc', 'rpc-network'],
    by: ['doctor', 'preflight'],
    read: (facts: DoctorFacts) => known(facts),
    problems: pureProblems,
    ok: (_, { terms }) =>
      `payments may be valid for ${terms?.timeoutMaxSeconds} s and cost ${terms?.maxTxFeeStroops} stroops`,
  }),
  networkCheck({
    name: 'trial-payments',
    needs: ['sponsor'],
    by: ['doctor', 'preflight'],
    read: ({ read }: DoctorFacts) => read.trial,
    again: 'run the command again; see whether the endpoint is overloaded',
    problems: [...triedProblems, ...triedWarnings],
    ok: (tried) => paymentsOf(tried).map(shown).join(', '),
  }),
]

const shown = ({ symbol, scheme, outcome }: TriedScheme): string => {
  if (outcome.kind === 'notTried') return `${symbol} by ${scheme} not tried: ${outcome.why}`
  return 'likely' in outcome
    ? `${symbol} by ${scheme} costs about ${outcome.likely} stroops, at least ${outcome.least}`
    : `${symbol} by ${scheme}`
}

/** Undefined until the terms have been tried. */
export function termsReportOf(facts: NetworkFacts): TermsReport | undefined {
  const found = [...pureProblems, ...triedProblems].flatMap(({ find }) =>
    findingsOf(find(facts, noPatience)),
  )
  if (found.length > 0) {
    const state = isNothingPayable(facts) ? 'Unpayable' : 'Invalid'
    return { state, message: found.map(clauseOf).join('; ') }
  }
  const tried = facts.trial?.value
  if (!tried) return undefined
  const untried = paymentsOf(tried).filter(({ outcome }) => outcome.kind === 'notTried')
  return untried.length > 0
    ? { state: 'NotTried', message: untried.map(shown).join('; ') }
    : { state: 'Tried', message: '' }
}

/** Whether no payment can be made in any asset and scheme. What was not tried may be payable. */
function isNothingPayable(facts: NetworkFacts): boolean {
  if (findingsOf(timeoutTooShort.find(facts, noPatience)).length > 0) return true
  const assets = facts.terms?.assets ?? []
  const tried = new Map(facts.trial?.value?.map((each) => [each.asset.contract, each]))
  return (
    assets.length > 0 &&
    assets.every(({ contract, max }) => max === 0n || isUnpayable(tried.get(contract)))
  )
}

const isUnpayable = (tried: TriedAsset | undefined): boolean =>
  tried !== undefined &&
  (!tried.isOnLedger ||
    (tried.payments.length > 0 &&
      tried.payments.every(({ outcome: { kind } }) => kind === 'tooDear' || kind === 'refused')))

const clauseOf = ({ says, todo }: Finding): string => `${says}: ${todo}`
