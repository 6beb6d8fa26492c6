/**
 * Resources of Soroban transactions, and how many of each a ledger includes: the network settings of CAP-46 and
 * later.
 */
import { xdr } from '@stellar/stellar-sdk'
import type { StellarRpc } from '../rpc/rpc.ts'

/** One amount for each resource that stellar-core limits in a ledger and in its queue of Soroban transactions. */
export interface LedgerResources {
  /** A fee bump counts as two. */
  readonly transactions: number
  /** Without fee bumps. */
  readonly transactionBytes: number
  readonly instructions: number
  /** Entries read from disk: classic and archived ones (CAP-62). */
  readonly diskReads: number
  readonly diskReadBytes: number
  readonly writes: number
  readonly writeBytes: number
}

/** The number of transactions of these resources for which the limits suffice; a fraction. */
export const transactionsWithin = (limits: LedgerResources, each: LedgerResources): number =>
  Math.min(...Object.values(mapResources((name) => limits[name] / each[name])))

/** A new object with one amount computed for each resource. */
export const mapResources = (amount: (name: keyof LedgerResources) => number): LedgerResources => ({
  transactions: amount('transactions'),
  transactionBytes: amount('transactionBytes'),
  instructions: amount('instructions'),
  diskReads: amount('diskReads'),
  diskReadBytes: amount('diskReadBytes'),
  writes: amount('writes'),
  writeBytes: amount('writeBytes'),
})

/** Resources of a transaction that count towards the limits of a ledger. Throws TypeError when it has no Soroban data. */
export function declaredResources(envelope: xdr.TransactionEnvelope): LedgerResources {
  const isFeeBump = envelope.type === 'envelopeTypeTxFeeBump'
  const inner = isFeeBump ? envelope.feeBump.tx.innerTx : envelope
  if (inner.type !== 'envelopeTypeTx') throw new TypeError(`not Soroban: ${inner.type}`)
  const { ext } = inner.v1.tx
  if (ext.type !== 'sorobanData') throw new TypeError('a transaction without Soroban data')
  const { resources, ext: dataExt } = ext.sorobanData
  const { readOnly, readWrite } = resources.footprint
  const classic = [...readOnly, ...readWrite].filter(
    ({ type }) => type === 'account' || type === 'trustline',
  )
  const archived = dataExt.type === 'resourceExt' ? dataExt.resourceExt.archivedSorobanEntries : []
  return {
    transactions: isFeeBump ? 2 : 1,
    transactionBytes: inner.toXdr().length,
    instructions: resources.instructions,
    diskReads: classic.length + archived.length,
    diskReadBytes: resources.diskReadBytes,
    writes: readWrite.length,
    writeBytes: resources.writeBytes,
  }
}

/** Reads what one ledger includes at most. Throws RpcError, and Error when the network lacks a setting. */
export async function readLedgerLimits(
  rpc: Pick<StellarRpc, 'ledgerEntries'>,
  signal?: AbortSignal,
): Promise<LedgerResources> {
  const { entries } = await rpc.ledgerEntries(settingKeys, signal)
  const settings = entries.flatMap(({ xdr: base64 }) => {
    const data = xdr.LedgerEntryData.fromXdr(base64, 'base64')
    return data.type === 'configSetting' ? [data.configSetting] : []
  })
  const lanes = settingOf(settings, 'configSettingContractExecutionLanes')
  const bandwidth = settingOf(settings, 'configSettingContractBandwidthV0')
  const compute = settingOf(settings, 'configSettingContractComputeV0')
  const parallel = settingOf(settings, 'configSettingContractParallelComputeV0')
  const { contractLedgerCost: cost } = settingOf(settings, 'configSettingContractLedgerCostV0')
  return {
    transactions: lanes.contractExecutionLanes.ledgerMaxTxCount,
    transactionBytes: bandwidth.contractBandwidth.ledgerMaxTxsSizeBytes,
    // The setting is the limit of one bin; bins run in parallel.
    instructions:
      Number(compute.contractCompute.ledgerMaxInstructions) *
      parallel.contractParallelCompute.ledgerMaxDependentTxClusters,
    diskReads: cost.ledgerMaxDiskReadEntries,
    diskReadBytes: cost.ledgerMaxDiskReadBytes,
    writes: cost.ledgerMaxWriteLedgerEntries,
    writeBytes: cost.ledgerMaxWriteBytes,
  }
}

type SettingName = xdr.ConfigSettingEntry['type']
type Setting<Name extends SettingName> = Extract<xdr.ConfigSettingEntry, { readonly type: Name }>

const settingNames = [
  'configSettingContractExecutionLanes',
  'configSettingContractBandwidthV0',
  'configSettingContractComputeV0',
  'configSettingContractParallelComputeV0',
  'configSettingContractLedgerCostV0',
] as const satisfies readonly SettingName[]

const settingKeys = settingNames.map((name) =>
  xdr.LedgerKey.configSetting(
    new xdr.LedgerKeyConfigSetting({ configSettingId: xdr.ConfigSettingId[name] }),
  ).toXdr('base64'),
)

function settingOf<Name extends (typeof settingNames)[number]>(
  settings: readonly xdr.ConfigSettingEntry[],
  name: Name,
): Setting<Name> {
  const found = settings.find((setting): setting is Setting<Name> => setting.type === name)
  if (!found) throw new Error(`the network has no ${name}`)
  return found
}
