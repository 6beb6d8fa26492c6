/** Whether the network can execute what the simulated call needs, and the service can pay for it. */
import type { TransactionResources } from '../../stellar/transactions/transaction-resources.ts'
import type { OutcomeCodes, OutcomeFacts } from '../schemes/scheme.ts'
import { type Check, rule } from './check.ts'

export const stateIsLive: Check<OutcomeFacts> = rule(
  'state is live',
  'invalid_exact_stellar_payload_archived_state',
  ({ simulation }) =>
    simulation.needsRestore
      ? 'a ledger entry that the payment needs is archived and must be restored first'
      : undefined,
)

export const feeUnderCeiling = ({
  feeExceedsMaximum,
}: Pick<OutcomeCodes, 'feeExceedsMaximum'>): Check<OutcomeFacts> =>
  rule('fee is under the ceiling', feeExceedsMaximum, ({ totalFee, policy }) =>
    totalFee > policy.maxTxFeeStroops
      ? `the settlement would cost up to ${totalFee} stroops, the ceiling is ${policy.maxTxFeeStroops}`
      : undefined,
  )

const resourceNames: Readonly<Record<keyof TransactionResources, string>> = {
  instructions: 'instructions',
  diskReadBytes: 'bytes read from disk',
  writeBytes: 'bytes written',
  footprintEntries: 'entries in its footprint',
  diskReads: 'entries read from disk',
  writes: 'entries written',
  keyBytes: 'bytes in the key of an entry',
  transactionBytes: 'bytes in all',
  dataEntryBytes: 'bytes in an entry of data',
  codeEntryBytes: 'bytes in an entry of code',
  emittedBytes: 'bytes of events and returned value',
}

/**
 * A simulation enforces instructions and memory alone. The network would refuse an envelope that declares too much, while its
 * channel is held until the envelope expires; and a call that emits or writes too much would fail on the ledger at the sponsor's cost.
 */
export const withinNetworkLimits = ({
  simulationFailed,
}: Pick<OutcomeCodes, 'simulationFailed'>): Check<OutcomeFacts> =>
  rule('a transaction can do it', simulationFailed, ({ resources, limits }) => {
    if (!limits) return undefined
    const names = Object.keys(resourceNames) as (keyof TransactionResources)[]
    const passed = names.find((name) => resources[name] > limits[name])
    return (
      passed &&
      `the settlement would have ${resources[passed]} ${resourceNames[passed]}, the network allows a transaction ${limits[passed]}`
    )
  })
