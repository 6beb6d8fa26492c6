/** How much of each resource the network lets one ledger include, and one transaction use: its settings (CAP-46 and later). */
import type { StellarRpc } from '../rpc/rpc.ts'
import type { LedgerResources } from './ledger-resources.ts'
import { readSettings, type SettingName, type Settings, settingOf } from './network-settings.ts'
import type { TransactionResources } from './transaction-resources.ts'

export interface NetworkLimits {
  readonly ledger: LedgerResources
  readonly transaction: TransactionResources
}

/** Throws RpcError, and Error when the network lacks a setting. */
export async function readNetworkLimits(
  rpc: Pick<StellarRpc, 'ledgerEntries'>,
  signal?: AbortSignal,
): Promise<NetworkLimits> {
  const settings = await readSettings(rpc, settingNames, signal)
  return { ledger: ledgerLimits(settings), transaction: transactionLimits(settings) }
}

function ledgerLimits(settings: Settings): LedgerResources {
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

function transactionLimits(settings: Settings): TransactionResources {
  const bandwidth = settingOf(settings, 'configSettingContractBandwidthV0')
  const compute = settingOf(settings, 'configSettingContractComputeV0')
  const { contractLedgerCost: cost } = settingOf(settings, 'configSettingContractLedgerCostV0')
  const { contractLedgerCostExt } = settingOf(settings, 'configSettingContractLedgerCostExtV0')
  const events = settingOf(settings, 'configSettingContractEventsV0')
  const key = settingOf(settings, 'configSettingContractDataKeySizeBytes')
  const data = settingOf(settings, 'configSettingContractDataEntrySizeBytes')
  const code = settingOf(settings, 'configSettingContractMaxSizeBytes')
  return {
    transactionBytes: bandwidth.contractBandwidth.txMaxSizeBytes,
    instructions: Number(compute.contractCompute.txMaxInstructions),
    diskReads: cost.txMaxDiskReadEntries,
    diskReadBytes: cost.txMaxDiskReadBytes,
    writes: cost.txMaxWriteLedgerEntries,
    writeBytes: cost.txMaxWriteBytes,
    footprintEntries: contractLedgerCostExt.txMaxFootprintEntries,
    keyBytes: key.contractDataKeySizeBytes,
    emittedBytes: events.contractEvents.txMaxContractEventsSizeBytes,
    dataEntryBytes: data.contractDataEntrySizeBytes,
    codeEntryBytes: code.contractMaxSizeBytes,
  }
}

const settingNames = [
  'configSettingContractExecutionLanes',
  'configSettingContractBandwidthV0',
  'configSettingContractComputeV0',
  'configSettingContractParallelComputeV0',
  'configSettingContractLedgerCostV0',
  'configSettingContractLedgerCostExtV0',
  'configSettingContractEventsV0',
  'configSettingContractDataKeySizeBytes',
  'configSettingContractDataEntrySizeBytes',
  'configSettingContractMaxSizeBytes',
] as const satisfies readonly SettingName[]
