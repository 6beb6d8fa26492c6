/**
 * Limits and prices of the network. `testnet` has the values of testnet and pubnet under SLP-4, and of
 * CAP-70 for timing; prices are in stroops. `stateSizeBytes`, the size of all contract state, is an
 * assumption: rent is of the right order of magnitude, not exact.
 */
const testnet = {
  contractMaxSizeBytes: 131_072,
  contractDataKeySizeBytes: 250,
  contractDataEntrySizeBytes: 65_536,
  compute: {
    ledgerMaxInstructions: 580_000_000n,
    txMaxInstructions: 400_000_000n,
    feeRatePerInstructionsIncrement: 7n,
    txMemoryLimit: 41_943_040,
  },
  ledgerCost: {
    ledgerMaxDiskReadEntries: 1000,
    ledgerMaxDiskReadBytes: 400_000,
    ledgerMaxWriteLedgerEntries: 1000,
    ledgerMaxWriteBytes: 286_720,
    txMaxDiskReadEntries: 200,
    txMaxDiskReadBytes: 200_000,
    txMaxWriteLedgerEntries: 200,
    txMaxWriteBytes: 132_096,
    feeDiskReadLedgerEntry: 1563n,
    feeWriteLedgerEntry: 2500n,
    feeDiskRead1Kb: 447n,
    sorobanStateTargetSizeBytes: 4_000_000_000n,
    rentFee1KbSorobanStateSizeLow: -17_000n,
    rentFee1KbSorobanStateSizeHigh: 10_000n,
    sorobanStateRentFeeGrowthFactor: 5000,
  },
  ledgerCostExt: { txMaxFootprintEntries: 400, feeWrite1Kb: 875n },
  historicalData: { feeHistorical1Kb: 4059n },
  events: { txMaxContractEventsSizeBytes: 16_384, feeContractEvents1Kb: 5000n },
  bandwidth: { ledgerMaxTxsSizeBytes: 266_240, txMaxSizeBytes: 132_096, feeTxSize1Kb: 406n },
  stateArchival: {
    maxEntryTtl: 3_110_400,
    minTemporaryTtl: 720,
    minPersistentTtl: 120_960,
    persistentRentRateDenominator: 1215n,
    tempRentRateDenominator: 2430n,
    maxEntriesToArchive: 1000,
    liveSorobanStateSizeWindowSampleSize: 30,
    liveSorobanStateSizeWindowSamplePeriod: 64,
    evictionScanSize: 500_000,
    startingEvictionScanLevel: 7,
  },
  executionLanes: { ledgerMaxTxCount: 2000 },
  parallelCompute: { ledgerMaxDependentTxClusters: 2 },
  scpTiming: {
    ledgerTargetCloseTimeMilliseconds: 5000,
    nominationTimeoutInitialMilliseconds: 1000,
    nominationTimeoutIncrementMilliseconds: 1000,
    ballotTimeoutInitialMilliseconds: 1000,
    ballotTimeoutIncrementMilliseconds: 1000,
  },
  stateSizeBytes: 1_000_000_000n,
}

type Limits = typeof testnet

/** Above any load, and low enough that the fee arithmetic cannot overflow. */
const UNLIMITED = 1_000_000_000
const UNLIMITED_INSTRUCTIONS = 1_000_000_000_000n

/** Lifts the limits of a ledger; those of a transaction and all prices stay. */
const none: Limits = {
  ...testnet,
  compute: { ...testnet.compute, ledgerMaxInstructions: UNLIMITED_INSTRUCTIONS },
  ledgerCost: {
    ...testnet.ledgerCost,
    ledgerMaxDiskReadEntries: UNLIMITED,
    ledgerMaxDiskReadBytes: UNLIMITED,
    ledgerMaxWriteLedgerEntries: UNLIMITED,
    ledgerMaxWriteBytes: UNLIMITED,
  },
  bandwidth: { ...testnet.bandwidth, ledgerMaxTxsSizeBytes: UNLIMITED },
  executionLanes: { ledgerMaxTxCount: UNLIMITED },
}

/** Minimum TTL of a new contract entry, in ledgers, its first included. Tests of archival set short ones. */
export interface EntryTtls {
  readonly minTemporaryTtl?: number
  readonly minPersistentTtl?: number
}

export const networkLimits = { testnet, none } as const satisfies Record<string, Limits>

/** `none` is for load tests. */
export type NetworkLimits = keyof typeof networkLimits
