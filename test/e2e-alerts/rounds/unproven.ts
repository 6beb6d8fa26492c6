/**
 * Alerts whose round has not been seen twice to make them fire and to resolve them within its time limit: their tests are
 * listed as to do. `UNPROVEN=play` plays these rounds, too. Each is shown on written series in
 * test/cluster/packaging/alerts.test.ts. docs/observability.md lists them.
 */
export const unproven: Readonly<Record<string, string>> = {
  // Seen once from the fault to the end of the repair, beside another round.
  X402ObjectDegraded: 'fired and was resolved once',
  X402OperatorStaleCache: 'fired and was resolved once, with another factor',
  X402CatalogOutboxStuck: 'fired and was resolved once',
  X402SearchIndexDegraded: 'fired and was resolved once',
  X402UptoRestoreRequired: 'fired three times and was resolved once',
  X402UptoAuthorityFunded: 'fired three times and was resolved once',
  // Seen to fire; that they are resolved was not seen.
  X402CatalogUnreadable: 'fired once; the database ended before the repair',
  X402ChannelsExhausted: 'fired with two channels; not played with its present fault',
  X402OperatorQueueStuck: 'fired once after its round; not played with its present fault',
  X402SettleErrorsSlow: 'fired; resolves last of its round',
  X402ExplorerBehind: 'fired; resolves once the explorer has read what it missed',
  // Not played with their present fault.
  X402DeletionStuck: 'not played since the pool retires its channels from the start',
  X402SearchIndexFailed: 'not played since it has a fault of its own',
  X402SettlementsFailing: 'not played since the pool lacks channels',
  X402UptoKeeperFailed: 'not played since the contract is kept short of ledgers',
  X402NoChannels: 'svc retire beside the paused pool ended with an error',
  X402UptoAuthorityMissing: 'as X402NoChannels',
  X402ObjectPaused: 'as X402NoChannels',
  X402ExplorerNotIngesting: 'not played since its gauge was mended',
  // Not played.
  X402SettlementsUnresolvable: 'not played',
  X402ExplorerGaps: 'not played',
}
