/** Limits of declared Soroban resources; a breach is txSOROBAN_INVALID with a diagnostic. */
import type { xdr } from '@stellar/stellar-sdk'
import { networkLimits } from '../../genesis/network-limits.ts'
import { isContractKey, isPersistentKey } from '../../ledger/keys.ts'
import type { Transaction } from '../envelope.ts'
import type { Diagnostic } from './diagnostics.ts'
import { restoredIndexes } from './footprint.ts'

/** The limits of a transaction do not depend on the network's `limits`. */
const limits = networkLimits.testnet

type LimitCheck = (
  data: xdr.SorobanTransactionData,
  transaction: Transaction,
) => Diagnostic | undefined

interface MaximumRule {
  readonly type?: Diagnostic['type']
  readonly message: string
  readonly used: (data: xdr.SorobanTransactionData, transaction: Transaction) => number | bigint
  readonly allowed: number | bigint
}

const maximum =
  ({ type = 'sceStorage', message, used, allowed }: MaximumRule): LimitCheck =>
  (data, transaction) => {
    const value = used(data, transaction)
    if (value <= allowed) return undefined
    return { type, code: 'scecExceededLimit', message, values: [value, allowed] }
  }

const footprintKeys = ({ resources }: xdr.SorobanTransactionData): readonly xdr.LedgerKey[] => [
  ...resources.footprint.readOnly,
  ...resources.footprint.readWrite,
]

/** Classic and archived entries are on disk; RestoreFootprint reads only its read-write entries (CAP-62). */
export function diskReads(data: xdr.SorobanTransactionData, { operations }: Transaction): number {
  if (operations[0]?.body.type === 'restoreFootprint') {
    return data.resources.footprint.readWrite.length
  }
  const classic = footprintKeys(data).filter((key) => !isContractKey(key)).length
  return classic + restoredIndexes(data).length
}

const keysAreUsable: LimitCheck = (data) => {
  for (const key of footprintKeys(data)) {
    const problem = keyProblem(key)
    if (problem) return problem
  }
  return undefined
}

const usableKeys: ReadonlySet<string> = new Set([
  'account',
  'trustline',
  'contractData',
  'contractCode',
])

function keyProblem(key: xdr.LedgerKey): Diagnostic | undefined {
  if (!usableKeys.has(key.type)) {
    const message = 'transaction footprint contains unsupported ledger key type'
    return { type: 'sceStorage', code: 'scecUnexpectedType', message }
  }
  if (key.type === 'trustline' && key.trustLine.asset.type === 'assetTypeNative') {
    const message = 'transaction footprint contains invalid trustline asset'
    return { type: 'sceStorage', code: 'scecInvalidInput', message }
  }
  const size = key.toXdr().length
  if (size <= limits.contractDataKeySizeBytes) return undefined
  const message = 'transaction footprint key exceeds network config limit'
  const values = [size, limits.contractDataKeySizeBytes]
  return { type: 'sceStorage', code: 'scecExceededLimit', message, values }
}

const restoredIndexesAreValid: LimitCheck = (data) => {
  const { readWrite } = data.resources.footprint
  const invalid = (message: string): Diagnostic => ({
    type: 'sceStorage',
    code: 'scecInvalidInput',
    message,
  })
  let last = -1
  for (const index of restoredIndexes(data)) {
    if (index <= last) return invalid('archivedSorobanEntries must be sorted in ascending order')
    last = index
    const key = readWrite[index]
    if (!key) return invalid('archivedSorobanEntries index is out of bounds')
    if (!isPersistentKey(key)) {
      return invalid('archivedSorobanEntries index points to a non-persistent entry')
    }
  }
  return undefined
}

/** Checked after the fee, as in stellar-core. */
export const footprintIsUnique: LimitCheck = (data) => {
  const keys = footprintKeys(data).map((key) => key.toXdr('base64'))
  if (new Set(keys).size === keys.length) return undefined
  const message =
    'Found duplicate key in the Soroban footprint; every key across read-only and read-write ' +
    'footprints has to be unique.'
  return { type: 'sceStorage', code: 'scecInvalidInput', message }
}

/** In stellar-core's order; the first breach is reported. */
export const resourceLimits: readonly LimitCheck[] = [
  maximum({
    type: 'sceBudget',
    message: 'transaction instructions resources exceed network config limit',
    used: ({ resources }) => resources.instructions,
    allowed: limits.compute.txMaxInstructions,
  }),
  maximum({
    message: 'transaction byte-read resources exceed network config limit',
    used: ({ resources }) => resources.diskReadBytes,
    allowed: limits.ledgerCost.txMaxDiskReadBytes,
  }),
  maximum({
    message: 'transaction byte-write resources exceed network config limit',
    used: ({ resources }) => resources.writeBytes,
    allowed: limits.ledgerCost.txMaxWriteBytes,
  }),
  maximum({
    message: 'the number of entries in transaction footprint exceeds the network config limit',
    used: (data) => footprintKeys(data).length,
    allowed: limits.ledgerCostExt.txMaxFootprintEntries,
  }),
  maximum({
    message: 'transaction entry-disk-read resources exceed network config limit',
    used: diskReads,
    allowed: limits.ledgerCost.txMaxDiskReadEntries,
  }),
  maximum({
    message: 'transaction entry-write resources exceed network config limit',
    used: ({ resources }) => resources.footprint.readWrite.length,
    allowed: limits.ledgerCost.txMaxWriteLedgerEntries,
  }),
  keysAreUsable,
  maximum({
    type: 'sceBudget',
    message: 'total transaction size exceeds network config limit',
    used: (_, { size }) => size,
    allowed: limits.bandwidth.txMaxSizeBytes,
  }),
  restoredIndexesAreValid,
]
