/** What the network charges for the resources of a Soroban transaction: its settings, by the rules of CAP-46-07 and CAP-66. */
import type { StellarRpc } from '../rpc/rpc.ts'
import type { LedgerResources } from './ledger-resources.ts'
import { readSettings, settingOf } from './network-settings.ts'

/** In stroops. */
export interface ResourceRates {
  /** For 10,000. */
  readonly instructions: bigint
  readonly diskRead: bigint
  readonly diskReadKb: bigint
  readonly write: bigint
  readonly writeKb: bigint
  /** Of a transaction: to keep it and to pass it on. */
  readonly transactionKb: bigint
}

type Amounts = Omit<LedgerResources, 'transactions'>

const names = [
  'configSettingContractComputeV0',
  'configSettingContractLedgerCostV0',
  'configSettingContractLedgerCostExtV0',
  'configSettingContractHistoricalDataV0',
  'configSettingContractBandwidthV0',
] as const

/** Throws RpcError, and Error when the network lacks a setting. */
export async function readResourceRates(
  rpc: Pick<StellarRpc, 'ledgerEntries'>,
  signal?: AbortSignal,
): Promise<ResourceRates> {
  const settings = await readSettings(rpc, names, signal)
  const [compute, cost, costExt, history, bandwidth] = [
    settingOf(settings, 'configSettingContractComputeV0').contractCompute,
    settingOf(settings, 'configSettingContractLedgerCostV0').contractLedgerCost,
    settingOf(settings, 'configSettingContractLedgerCostExtV0').contractLedgerCostExt,
    settingOf(settings, 'configSettingContractHistoricalDataV0').contractHistoricalData,
    settingOf(settings, 'configSettingContractBandwidthV0').contractBandwidth,
  ]
  return {
    instructions: compute.feeRatePerInstructionsIncrement,
    diskRead: cost.feeDiskReadLedgerEntry,
    diskReadKb: cost.feeDiskRead1Kb,
    write: cost.feeWriteLedgerEntry,
    writeKb: costExt.feeWrite1Kb,
    transactionKb: history.feeHistorical1Kb + bandwidth.feeTxSize1Kb,
  }
}

const KB = 1024n
const INSTRUCTIONS = 10_000n

/** The fee for these resources, events and rent excepted. The network rounds each part up; this rounds it down. */
export const feeFor = (rates: ResourceRates, of: Partial<Amounts>): bigint => {
  const count = (name: keyof Amounts): bigint => BigInt(of[name] ?? 0)
  return (
    (count('instructions') * rates.instructions) / INSTRUCTIONS +
    count('diskReads') * rates.diskRead +
    (count('diskReadBytes') * rates.diskReadKb) / KB +
    count('writes') * rates.write +
    (count('writeBytes') * rates.writeKb) / KB +
    (count('transactionBytes') * rates.transactionKb) / KB
  )
}

const TTL_ENTRY_BYTES = 48

/** The fee for the TTL of an entry that did not exist: the network writes it as an entry of its own. */
export const feeForTtl = (rates: ResourceRates): bigint =>
  feeFor(rates, { writes: 1, writeBytes: TTL_ENTRY_BYTES })
