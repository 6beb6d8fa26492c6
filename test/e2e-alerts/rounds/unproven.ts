/**
 * Alerts whose round has not yet been seen to make them fire and to resolve them within its time limit: their tests are listed as
 * to do. `UNPROVEN=play` plays these rounds, too. Each is shown on written series in test/cluster/packaging/alerts.test.ts.
 */
export const unproven: Readonly<Record<string, string>> = {
  // Seen to fire; that they are resolved was not waited for.
  X402SettleErrorsSlow: 'resolves last of its round',
  X402ExplorerBehind: 'resolves once the explorer has read what it missed',
  X402UptoRestoreRequired: 'resolves after svc upto restore',
  X402UptoAuthorityFunded: 'resolves when the XLM has left the authority',
  // Played without firing: the fault or its time has to change.
  X402SettlementsFailing: 'the refusals of a dry sponsor did not suffice',
  X402ChannelsExhausted: 'not played since its payments last until it fires',
  X402UptoKeeperFailed: 'not played since its simulation fails, not its send',
  X402NoChannels: 'svc retire beside the paused pool ended with an error',
  X402UptoAuthorityMissing: 'as X402NoChannels',
  X402ObjectPaused: 'as X402NoChannels',
  // Not played yet.
  X402ObjectDegraded: 'not played',
  X402DeletionStuck: 'not played',
  X402ObjectNotReconciled: 'not played',
  X402OperatorReconcileErrors: 'not played',
  X402OperatorQueueStuck: 'not played',
  X402OperatorStaleCache: 'not played',
  X402CatalogOutboxStuck: 'not played',
  X402SearchIndexDegraded: 'not played',
  X402CatalogUnreadable: 'not played',
  X402SearchIndexFailed: 'not played',
  X402ExplorerNotIngesting: 'not played since its gauge was mended',
  X402SettlementsUnresolvable: 'not played',
  X402ExplorerGaps: 'not played',
}
