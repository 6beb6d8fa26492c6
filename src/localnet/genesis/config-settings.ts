import { xdr } from '@stellar/stellar-sdk'
import { type EntryTtls, type NetworkLimits, networkLimits } from './network-limits.ts'

/** A network setting as a ledger entry. */
export interface ConfigSetting {
  /** LedgerKey XDR. */
  readonly key: Uint8Array
  /** LedgerEntry XDR. */
  readonly entry: Uint8Array
}

export interface ConfigSettingsOptions {
  /** ContractCostParams XDR of the host. */
  readonly costParams: { readonly cpu: Uint8Array; readonly mem: Uint8Array }
  /** Default `testnet`. */
  readonly limits?: NetworkLimits
  /** Default: testnet's. */
  readonly entryTtls?: EntryTtls
  /** Default: that of `limits`. */
  readonly ledgerMaxTxCount?: number
  /** `lastModifiedLedgerSeq`; default 1. */
  readonly ledger?: number
}

type Limits = (typeof networkLimits)[NetworkLimits]

/** Not decoded: the host may have cost types that the SDK does not know. */
const costSetting = (id: xdr.ConfigSettingId, params: Uint8Array): xdr.ConfigSettingEntry =>
  xdr.ConfigSettingEntry.fromXdr(new Uint8Array([...id.toXdr(), ...params]))

const limitSettings = (limits: Limits) => {
  const Entry = xdr.ConfigSettingEntry
  return [
    Entry.configSettingContractMaxSizeBytes(limits.contractMaxSizeBytes),
    Entry.configSettingContractComputeV0(new xdr.ConfigSettingContractComputeV0(limits.compute)),
    Entry.configSettingContractLedgerCostV0(
      new xdr.ConfigSettingContractLedgerCostV0(limits.ledgerCost),
    ),
    Entry.configSettingContractLedgerCostExtV0(
      new xdr.ConfigSettingContractLedgerCostExtV0(limits.ledgerCostExt),
    ),
    Entry.configSettingContractHistoricalDataV0(
      new xdr.ConfigSettingContractHistoricalDataV0(limits.historicalData),
    ),
    Entry.configSettingContractEventsV0(new xdr.ConfigSettingContractEventsV0(limits.events)),
    Entry.configSettingContractBandwidthV0(
      new xdr.ConfigSettingContractBandwidthV0(limits.bandwidth),
    ),
    Entry.configSettingContractDataKeySizeBytes(limits.contractDataKeySizeBytes),
    Entry.configSettingContractDataEntrySizeBytes(limits.contractDataEntrySizeBytes),
    Entry.configSettingStateArchival(new xdr.StateArchivalSettings(limits.stateArchival)),
    Entry.configSettingContractExecutionLanes(
      new xdr.ConfigSettingContractExecutionLanesV0(limits.executionLanes),
    ),
    Entry.configSettingContractParallelComputeV0(
      new xdr.ConfigSettingContractParallelComputeV0(limits.parallelCompute),
    ),
    Entry.configSettingScpTiming(new xdr.ConfigSettingScpTiming(limits.scpTiming)),
    Entry.configSettingLiveSorobanStateSizeWindow(
      Array.from(
        { length: limits.stateArchival.liveSorobanStateSizeWindowSampleSize },
        () => limits.stateSizeBytes,
      ),
    ),
  ]
}

/** Settings that the network updates itself, at their initial values. */
const stateSettings = (startingLevel: number) => [
  xdr.ConfigSettingEntry.configSettingEvictionIterator(
    new xdr.EvictionIterator({
      bucketListLevel: startingLevel,
      isCurrBucket: true,
      bucketFileOffset: 0n,
    }),
  ),
  xdr.ConfigSettingEntry.configSettingFrozenLedgerKeys(new xdr.FrozenLedgerKeys({ keys: [] })),
  xdr.ConfigSettingEntry.configSettingFreezeBypassTxs(new xdr.FreezeBypassTxs({ txHashes: [] })),
]

const toSetting = (setting: xdr.ConfigSettingEntry, ledger: number): ConfigSetting => ({
  key: xdr.LedgerKey.configSetting(
    new xdr.LedgerKeyConfigSetting({
      configSettingId: xdr.ConfigSettingId.fromXdr(setting.toXdr().subarray(0, 4)),
    }),
  ).toXdr(),
  entry: new xdr.LedgerEntry({
    lastModifiedLedgerSeq: ledger,
    data: xdr.LedgerEntryData.configSetting(setting),
    ext: xdr.LedgerEntryExt.v0(),
  }).toXdr(),
})

/**
 * The network settings at genesis: limits, prices, timing and metering (CAP-46 and later). The two delta
 * settings are missing: they exist in upgrades only, never as ledger entries.
 */
export const configSettings = ({
  costParams,
  limits = 'testnet',
  entryTtls = {},
  ledgerMaxTxCount,
  ledger = 1,
}: ConfigSettingsOptions): ConfigSetting[] => {
  const base = networkLimits[limits]
  const chosen: Limits = {
    ...base,
    stateArchival: { ...base.stateArchival, ...entryTtls },
    ...(ledgerMaxTxCount !== undefined && { executionLanes: { ledgerMaxTxCount } }),
  }
  const ids = xdr.ConfigSettingId
  return [
    ...limitSettings(chosen),
    costSetting(ids.configSettingContractCostParamsCpuInstructions, costParams.cpu),
    costSetting(ids.configSettingContractCostParamsMemoryBytes, costParams.mem),
    ...stateSettings(chosen.stateArchival.startingEvictionScanLevel),
  ].map((setting) => toSetting(setting, ledger))
}
