import { xdr } from '@stellar/stellar-sdk'
import type { StellarRpc } from '../../src/stellar/rpc.ts'

/** One thing a ledger holds only so much of. */
export interface Room {
  readonly what: string
  readonly perLedger: number
  /** Of one settlement. */
  readonly each: number
}

/** How often a settlement's need fits into what a ledger has of it. */
export const settlementsPerLedger = ({ perLedger, each }: Room): number =>
  Math.floor(perLedger / each)

/**
 * What one settlement, given as it was recorded on the ledger, takes of the limits that stand in
 * the network's own settings (CAP-46 and after).
 */
export async function ledgerRoom(
  rpc: StellarRpc,
  settlement: xdr.TransactionEnvelope,
): Promise<Room[]> {
  const limits = await readLimits(rpc)
  // A ledger counts the transaction without its fee bump.
  const bytes = innerOf(settlement).toXdr().length
  const { footprint, ...resources } = resourcesOf(settlement)
  const classic = [...footprint.readOnly, ...footprint.readWrite].filter(
    ({ type }) => type === 'account' || type === 'trustline',
  )
  return [
    { what: 'transactions', perLedger: limits.transactions, each: 1 },
    { what: 'bytes of transactions', perLedger: limits.transactionBytes, each: bytes },
    { what: 'instructions', perLedger: limits.instructions, each: resources.instructions },
    { what: 'entries read from disk', perLedger: limits.diskReads, each: classic.length },
    { what: 'entries written', perLedger: limits.writes, each: footprint.readWrite.length },
    { what: 'bytes written', perLedger: limits.writeBytes, each: resources.writeBytes },
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
    // Of one cluster; as many run side by side.
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
