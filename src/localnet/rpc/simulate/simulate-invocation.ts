import { randomBytes } from 'node:crypto'
import { xdr } from '@stellar/stellar-sdk'
import type { Localnet } from '../../network.ts'
import type { SimulateOutput } from '../../soroban/simulate.ts'
import { latestLedgerContext } from '../context.ts'
import type { XdrFields } from '../reads/xdr-fields.ts'
import { hostErrorText } from './host-error-text.ts'
import type { SimulationPlan } from './simulation-plan.ts'
import { stateChanges } from './state-changes.ts'

export interface SimulationOptions {
  /** Record ADDRESS_V2 credentials (CAP-71). */
  readonly upgradedAuth: boolean
  /** Instructions to declare above the measured ones, at least. */
  readonly instructionLeeway: number
}

export function simulateInvocation(
  network: Localnet,
  { operation, source, authMode }: Extract<SimulationPlan, { kind: 'invoke' }>,
  { upgradedAuth, instructionLeeway }: SimulationOptions,
  fields: XdrFields,
) {
  const output = network.host.simulate({
    ledger: latestLedgerContext(network),
    hostFunction: operation.hostFunction.toXdr(),
    source: source.toXdr(),
    mode: authMode,
    upgradedAuth,
    auth: operation.auth.map((entry) => entry.toXdr()),
    seed: new Uint8Array(randomBytes(32)),
  })
  const latestLedger = network.latest.sequence
  const events = eventMembers(output, fields)
  const { result, transactionData } = output
  if (!result.ok) {
    return {
      error: hostErrorText(result.failure.text, output.diagnostics),
      ...events,
      latestLedger,
    }
  }
  if (!transactionData) throw new Error('the host succeeded without transaction data')
  const data = withInstructionLeeway(
    network,
    output.instructions,
    transactionData,
    instructionLeeway,
  )
  return {
    ...fields.one(
      ['transactionData', 'transactionDataJson'],
      xdr.SorobanTransactionData,
      data.toXdr(),
    ),
    ...events,
    minResourceFee: String(data.resourceFee),
    results: [
      {
        ...fields.list(['auth', 'authJson'], xdr.SorobanAuthorizationEntry, output.auth),
        ...fields.one(['xdr', 'returnValueJson'], xdr.ScVal, result.value),
      },
    ],
    ...stateChanges(output.changes, fields),
    latestLedger,
  }
}

/** Stellar RPC omits an empty list. */
const eventMembers = ({ diagnostics }: SimulateOutput, fields: XdrFields) =>
  diagnostics.length === 0
    ? {}
    : fields.list(['events', 'eventsJson'], xdr.DiagnosticEvent, diagnostics)

/**
 * Raises the declared instructions to at least `measured + leeway`, and the fee by what those
 * instructions cost. The simulation already declares slightly more than it measured.
 */
function withInstructionLeeway(
  network: Localnet,
  measured: number,
  transactionData: Uint8Array,
  leeway: number,
): xdr.SorobanTransactionData {
  const data = xdr.SorobanTransactionData.fromXdr(transactionData)
  const { resources } = data
  const instructions = Math.min(measured + leeway, 0xffff_ffff)
  if (instructions <= resources.instructions) return data
  const raised = new xdr.SorobanResources({ ...resources, instructions })
  const cost = (declared: xdr.SorobanResources): bigint =>
    network.host.resourceFee({
      ledger: latestLedgerContext(network),
      resources: declared.toXdr(),
      // Cancels out in the difference.
      transactionSize: 0,
    }).nonRefundable
  return new xdr.SorobanTransactionData({
    ext: data.ext,
    resources: raised,
    resourceFee: data.resourceFee + cost(raised) - cost(resources),
  })
}
