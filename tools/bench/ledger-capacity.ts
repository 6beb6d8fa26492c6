import { xdr } from '@stellar/stellar-sdk'
import type { StellarRpc } from '../../src/stellar/rpc.ts'

/** A limited resource of a ledger. */
export interface LedgerCapacity {
  readonly resource: string
  readonly perLedger: number
  /** Used by one settlement. */
  readonly perSettlement: number
}

/** The number of settlements for which the resource suffices. */
export const settlementsPerLedger = ({ perLedger, perSettlement }: LedgerCapacity): number =>
  Math.floor(perLedger / perSettlement)

/**
 * Compares the resources of one settlement, as recorded on the ledger, with the limits in the network
 * settings (CAP-46 and later).
 */
export async function ledgerCapacity(
  rpc: StellarRpc,
  settlement: xdr.TransactionEnvelope,
): Promise<LedgerCapacity[]> {
  const limits = await readLimits(rpc)
  // The limit counts the transaction without its fee bump.
  const bytes = innerOf(settlement).toXdr().length
  const { footprint, ...resources } = resourcesOf(settlement)
  const classic = [...footprint.readOnly, ...footprint.readWrite].filter(
    ({ type }) => type === 'account' || type === 'trustline',
  )
  return [
    { resource: 'transactions', perLedger: limits.transactions, perSettlement: 1 },
    { resource: 'bytes of transactions', perLedger: limits.transactionBytes, perSettlement: bytes },
    {
      resource: 'instructions',
      perLedger: limits.instructions,
      perSettlement: resources.instructions,
    },
    {
      resource: 'entries read from disk',
      perLedger: limits.diskReads,
      perSettlement: classic.length,
    },
    {
      resource: 'entries written',
      perLedger: limits.writes,
      perSettlement: footprint.readWrite.length,
    },
    {
      resource: 'bytes written',
      perLedger: limits.writeBytes,
      perSettlement: resources.writeBytes,
    },
  ]
}

async function readLimits(rpc: StellarRpc) {
  const lanes = await setting(rpc, 'configSettingContractExecutionLanes')
  const bandwidth = await setting(rpc, 'configSettingContractBandwidthV0')
  const compute = await setting(rpc, 'configSettingContractComputeV0')
  const parallel = await setting(rpc, 'configSettingContractParallelComputeV0')
  const cost = await setting(rpc, 'configSettingContractLedgerCostV0')
  return {
    transactions: lanes.contractExecutionLanes.ledgerMaxTxCount,
    transactionBytes: bandwidth.contractBandwidth.ledgerMaxTxsSizeBytes,
    // The setting is the limit of one bin; bins run in parallel.
    instructions:
      Number(compute.contractCompute.ledgerMaxInstructions) *
      parallel.contractParallelCompute.ledgerMaxDependentTxClusters,
    diskReads: cost.contractLedgerCost.ledgerMaxDiskReadEntries,
    writes: cost.contractLedgerCost.ledgerMaxWriteLedgerEntries,
    writeBytes: cost.contractLedgerCost.ledgerMaxWriteBytes,
  }
}

async function setting<T extends xdr.ConfigSettingEntry['type']>(
  rpc: StellarRpc,
  type: T,
): Promise<Extract<xdr.ConfigSettingEntry, { readonly type: T }>> {
  const key = xdr.LedgerKey.configSetting(
    new xdr.LedgerKeyConfigSetting({ configSettingId: xdr.ConfigSettingId[type] }),
  ).toXdr('base64')
  const [entry] = (await rpc.ledgerEntries([key])).entries
  const data = entry && xdr.LedgerEntryData.fromXdr(entry.xdr, 'base64')
  if (data?.type === 'configSetting' && is(data.configSetting, type)) return data.configSetting
  throw new Error(`the network has no ${type}`)
}

const is = <T extends xdr.ConfigSettingEntry['type']>(
  entry: xdr.ConfigSettingEntry,
  type: T,
): entry is Extract<xdr.ConfigSettingEntry, { readonly type: T }> => entry.type === type

const innerOf = (envelope: xdr.TransactionEnvelope) =>
  envelope.type === 'envelopeTypeTxFeeBump' ? envelope.feeBump.tx.innerTx : envelope

function resourcesOf(envelope: xdr.TransactionEnvelope): xdr.SorobanResources {
  const inner = innerOf(envelope)
  if (inner.type !== 'envelopeTypeTx') throw new TypeError(`not a settlement: ${inner.type}`)
  const { ext } = inner.v1.tx
  if (ext.type !== 'sorobanData') throw new TypeError('a settlement without Soroban data')
  return ext.sorobanData.resources
}
