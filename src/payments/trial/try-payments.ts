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
import { type ResourceRates, readResourceRates } from '../../stellar/transactions/resource-rates.ts'
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
import { type FeeRange, type SimulatedTransfer, signatureFee } from './signature-fee.ts'

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
  const [tip, tokens, rates] = await Promise.all([
    rpc.latestLedger(signal),
    tokenContracts(rpc, contracts, signal),
    readResourceRates(rpc, signal),
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
          tryScheme(trial, { scheme, attempts, recent, rates }, signal),
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
  /** See `SimulatedTransfer`. */
  readonly hasOwnBalance: boolean
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
  // A smart account cannot be the source of a transaction, which `simulateTransfer` needs.
  const last = recent.find(({ payer }) => addressKind(payer) === 'account')
  const hasOwnBalance = asset.contract !== nativeContract(passphrase)
  const own = { payer: sponsor, payTo: channel, asset, amount, hasOwnBalance }
  const lumens = { ...own, asset: { ...asset, contract: nativeContract(passphrase) }, amount: 1n }
  return [
    ...(last ? [{ ...own, payer: last.payer, payTo: baseAddress(last.payTo) }] : []),
    ...(token?.kind === 'custom' ? [own, { ...lumens, isFeeAlone: true }] : [lumens]),
  ]
}

interface Attempts {
  readonly scheme: PaymentScheme
  readonly attempts: readonly Attempt[]
  readonly recent: readonly RecentPayment[]
  readonly rates: ResourceRates
}

/** The first attempt whose simulation runs through counts. */
async function tryScheme(
  trial: Trial,
  { scheme, attempts, recent, rates }: Attempts,
  signal: AbortSignal | undefined,
): Promise<TriedPayment> {
  const { policy } = trial
  let why = ''
  for (const { isFeeAlone = false, ...terms } of attempts) {
    const call = scheme.trial(terms, policy)
    const [simulation, transfer] = await Promise.all([
      simulate(trial, call, call.authority?.address, signal),
      simulateTransfer(trial, terms, signal),
    ])
    if (simulation.kind === 'ok' && transfer) {
      const fees = feesOf(rates, simulation, transfer)
      const before = leastFee(recent.filter((one) => one.scheme === scheme.name))
      const likely = fees.likely > before ? fees.likely : before
      const outcome = outcomeOf(trial, { call, simulation, fees: { ...fees, likely } })
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

/** The fee of the simulated payment without the nonce, and what a signature adds. */
function feesOf(
  rates: ResourceRates,
  { transactionData }: SimulationSuccess,
  transfer: SimulatedTransfer,
): FeeRange {
  const nonce = resourceFeeOf(transfer.recorded) - resourceFeeOf(transfer.ofSource)
  const unsigned = resourceFeeOf(transactionData) - nonce
  const { least, likely } = signatureFee(rates, transfer)
  return { least: unsigned + least, likely: unsigned + likely }
}

/** The least resource fee of payments that were made; 0 without any. */
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
 * the whole fee of a payment. A transfer with the payer as its source has no nonce.
 */
async function simulateTransfer(
  trial: Trial,
  { hasOwnBalance, ...terms }: Attempt,
  signal: AbortSignal | undefined,
): Promise<SimulatedTransfer | undefined> {
  const transfer = exact.trial(terms, trial.policy)
  const [recorded, ofSource] = await Promise.all([
    simulate(trial, transfer, undefined, signal),
    simulate(trial, transfer, terms.payer, signal),
  ])
  if (recorded.kind !== 'ok' || ofSource.kind !== 'ok') return undefined
  const [one, other] = [recorded.transactionData, ofSource.transactionData]
  return { recorded: one, ofSource: other, hasOwnBalance }
}

interface Simulated {
  readonly call: PaymentCall
  readonly simulation: SimulationSuccess
  readonly fees: FeeRange
}

function outcomeOf(
  { policy, inclusionFee, limits }: Trial,
  { call, simulation, fees }: Simulated,
): TrialOutcome {
  const [least, likely] = [fees.least, fees.likely].map((fee) =>
    settlementFee(inclusionFee, asStroops(fee)),
  ) as [Stroops, Stroops]
  const facts = {
    ...outcomeFacts(call, simulation, { inclusionFee, limits }, policy),
    totalFee: least,
  }
  const { costChecks, eventChecks, codes } = call.scheme.rules[call.phase]
  const finding = firstFinding(costChecks, facts)
  if (finding?.code === codes.feeExceedsMaximum) return { kind: 'tooDear', least, likely }
  if (finding?.code === codes.simulationFailed) return { kind: 'refused', why: finding.message }
  // An archived entry gets restored, by the keeper or by others: no setting is wrong.
  if (finding) return { kind: 'notTried', why: finding.message }
  const other = firstFinding(eventChecks, facts)
  if (other) return { kind: 'refused', why: other.message }
  return { kind: likely > policy.maxTxFeeStroops ? 'dear' : 'possible', least, likely }
}
