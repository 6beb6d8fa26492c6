/**
 * Tries the terms of a network: simulates a payment in each accepted asset and each served scheme. Nobody signs it, so
 * the host records whose authorization it would need.
 */
import type { TrialOutcome, TriedAsset, TriedPayment } from '../../diagnosis/facts/trial-facts.ts'
import { asStroops, type Stroops } from '../../platform/core/amounts/stroops.ts'
import { addressKind, baseAddress } from '../../stellar/accounts/strkey.ts'
import { nativeContract } from '../../stellar/contracts/asset-contract.ts'
import {
  readTokenMetadata,
  type TokenContract,
  tokenContracts,
} from '../../stellar/contracts/token-contract.ts'
import type { Simulation, SimulationSuccess, StellarRpc } from '../../stellar/rpc/rpc.ts'
import {
  resourceFeeOf,
  resourceFeeOfEnvelope,
  settlementFee,
  simulationEnvelope,
} from '../../stellar/transactions/settlement-envelope.ts'
import type { TransactionResources } from '../../stellar/transactions/transaction-resources.ts'
import { diagnose } from '../causes/diagnosis.ts'
import { firstFinding } from '../checks/check.ts'
import { outcomeFacts } from '../checks/check-simulation.ts'
import type { AcceptedAsset, PaymentPolicy } from '../protocol/policy.ts'
import { exact } from '../schemes/exact/exact.ts'
import type { PaymentCall, PaymentScheme, TrialTerms } from '../schemes/scheme.ts'
import { servedSchemes } from '../schemes/schemes.ts'
import type { RecentPayment } from '../store/settlements/recent-payments.ts'

export interface Trial {
  readonly rpc: Pick<StellarRpc, 'simulate' | 'ledgerEntries' | 'latestLedger'>
  readonly policy: PaymentPolicy
  /** The lowest bid per operation: what is too dear with it is too dear at any time. */
  readonly inclusionFee: Stroops
  /** The network's limits on one transaction; not checked without. */
  readonly limits?: TransactionResources | undefined
  /** An account with XLM, and one that can be paid XLM. */
  readonly sponsor: string
  readonly channel: string | undefined
  /** Payments in an asset (`C...`) that were made, the latest first. */
  readonly recentPayments: (asset: string) => Promise<readonly RecentPayment[]>
}

/** Throws `RpcError` when no endpoint answers, and what `recentPayments` throws. */
export async function tryPayments(
  trial: Trial,
  signal?: AbortSignal,
): Promise<readonly TriedAsset[]> {
  const { rpc, policy } = trial
  const assets = [...policy.assets.values()]
  const contracts = assets.map(({ contract }) => contract)
  const [tip, tokens] = await Promise.all([
    rpc.latestLedger(signal),
    tokenContracts(rpc, contracts, signal),
  ])
  const expirationLedger = tip.sequence + EXPIRES_AFTER_LEDGERS
  return Promise.all(
    assets.map(async (asset) => {
      const [{ decimals }, recent] = await Promise.all([
        readTokenMetadata(rpc, asset.contract, signal),
        trial.recentPayments(asset.contract),
      ])
      const parties = candidates(trial, { asset, token: tokens.get(asset.contract), recent })
      const attempts = parties.map((each) => ({ ...each, expirationLedger }))
      const payments = await Promise.all(
        servedSchemes(policy).map((scheme) =>
          tryScheme(trial, { scheme, attempts, recent }, signal),
        ),
      )
      const isOnLedger = tokens.has(asset.contract)
      const stated = decimals === undefined ? undefined : Number(decimals)
      return { asset, isOnLedger, decimals: stated, payments }
    }),
  )
}

/** About a minute, as buyers choose it. */
const EXPIRES_AFTER_LEDGERS = 12

interface Candidate extends Omit<TrialTerms, 'expirationLedger'> {
  /** Lumens instead of a token of its own contract: only that it can cost no less is known. */
  readonly isFeeAlone?: boolean
}

type Attempt = Candidate & TrialTerms

interface Known {
  readonly asset: AcceptedAsset
  readonly token: TokenContract | undefined
  readonly recent: readonly RecentPayment[]
}

/**
 * Payments whose payer the ledger knows to have the asset, the likeliest first. Lumens of the sponsor stand in for an
 * asset that nobody has paid yet. A classic one has the contract of lumens, which is built into the host: they cost the same.
 */
function candidates(
  { policy: { passphrase }, sponsor, channel = sponsor }: Trial,
  { asset, token, recent }: Known,
): readonly Candidate[] {
  const amount = asset.min !== undefined && asset.min > 0n ? asset.min : 1n
  // A smart account cannot be the source of a transaction, which `recordingOverhead` needs.
  const last = recent.find(({ payer }) => addressKind(payer) === 'account')
  const own = { payer: sponsor, payTo: channel, asset, amount }
  const lumens = { ...own, asset: { ...asset, contract: nativeContract(passphrase) }, amount: 1n }
  return [
    ...(last ? [{ payer: last.payer, payTo: baseAddress(last.payTo), asset, amount }] : []),
    ...(token?.kind === 'custom' ? [own, { ...lumens, isFeeAlone: true }] : [lumens]),
  ]
}

interface Attempts {
  readonly scheme: PaymentScheme
  readonly attempts: readonly Attempt[]
  readonly recent: readonly RecentPayment[]
}

/** The first attempt whose simulation runs through counts. */
async function tryScheme(
  trial: Trial,
  { scheme, attempts, recent }: Attempts,
  signal: AbortSignal | undefined,
): Promise<TriedPayment> {
  const { policy } = trial
  let why = ''
  for (const { isFeeAlone = false, ...terms } of attempts) {
    const call = scheme.trial(terms, policy)
    const [simulation, overhead] = await Promise.all([
      simulate(trial, call, call.authority?.address, signal),
      recordingOverhead(trial, terms, signal),
    ])
    if (simulation.kind === 'ok' && overhead !== undefined) {
      const simulated = resourceFeeOf(simulation.transactionData) - overhead
      const before = leastFee(recent.filter((one) => one.scheme === scheme.name))
      const resourceFee = asStroops(simulated > before ? simulated : before)
      const outcome = outcomeOf(trial, { call, simulation, resourceFee })
      const isKnown = outcome.kind === 'tooDear' || !isFeeAlone
      return { scheme: scheme.name, outcome: isKnown ? outcome : { kind: 'notTried', why } }
    }
    const rules = scheme.rules[call.phase]
    why =
      simulation.kind === 'ok'
        ? 'the payer cannot be the source of a transfer'
        : diagnose(call, simulation, { rules, policy }).message
  }
  return { scheme: scheme.name, outcome: { kind: 'notTried', why } }
}

/**
 * The least resource fee of payments that were made; 0 without any. It includes the payer's nonce and signature, which the
 * simulation leaves out.
 */
const leastFee = (payments: readonly RecentPayment[]): bigint =>
  payments
    .map(({ envelopeXdr }) => resourceFeeOfEnvelope(envelopeXdr) ?? 0n)
    .reduce((least, fee) => (least === 0n || fee < least ? fee : least), 0n)

const simulate = (
  { rpc }: Trial,
  { invocation }: PaymentCall,
  source: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Simulation> => rpc.simulate(simulationEnvelope(invocation, source), signal)

/**
 * A recording charges for the payer's nonce as if it were kept for the longest time that the network allows: four times
 * the whole fee of a payment. So much, and what an honest nonce costs: a transfer has none with the payer as its source.
 */
async function recordingOverhead(
  trial: Trial,
  terms: TrialTerms,
  signal: AbortSignal | undefined,
): Promise<bigint | undefined> {
  const transfer = exact.trial(terms, trial.policy)
  const [recorded, ofSource] = await Promise.all([
    simulate(trial, transfer, undefined, signal),
    simulate(trial, transfer, terms.payer, signal),
  ])
  return recorded.kind === 'ok' && ofSource.kind === 'ok'
    ? resourceFeeOf(recorded.transactionData) - resourceFeeOf(ofSource.transactionData)
    : undefined
}

interface Simulated {
  readonly call: PaymentCall
  readonly simulation: SimulationSuccess
  readonly resourceFee: Stroops
}

function outcomeOf(
  { policy, inclusionFee, limits }: Trial,
  { call, simulation, resourceFee }: Simulated,
): TrialOutcome {
  const facts = {
    ...outcomeFacts(call, simulation, { inclusionFee, limits }, policy),
    totalFee: settlementFee(inclusionFee, resourceFee),
  }
  const { costChecks, eventChecks, codes } = call.scheme.rules[call.phase]
  const finding = firstFinding(costChecks, facts)
  const { totalFee: fee } = facts
  if (finding?.code === codes.feeExceedsMaximum) return { kind: 'tooDear', fee }
  if (finding?.code === codes.simulationFailed) return { kind: 'refused', why: finding.message }
  // An archived entry gets restored, by the keeper or by others: no setting is wrong.
  if (finding) return { kind: 'notTried', why: finding.message }
  const other = firstFinding(eventChecks, facts)
  return other ? { kind: 'refused', why: other.message } : { kind: 'possible', fee }
}
