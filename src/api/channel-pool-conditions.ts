/** What is observed of a ChannelPool. All are there from the first look on, Unknown at first. */
export const channelPoolConditionTypes = {
  Ready: 'Every wanted channel can be leased.',
  Progressing: 'Channels are being created, drained or merged.',
  Degraded: 'Settlements go through, but the pool is not as its spec asks.',
  Funded: 'The sponsor has what minSponsorBalanceXlm asks for.',
} as const

export type ChannelPoolConditionType = keyof typeof channelPoolConditionTypes

/** Reasons of those conditions and of the events that tell about them. */
export const channelPoolReasons = {
  NotObserved: 'The operator has not looked yet.',
  Paused: 'The annotation x402.svc.dev/paused is true: the operator changes nothing.',
  ChannelsReady: 'Every wanted channel can be leased.',
  AsSpecified: 'Nothing differs from the spec.',
  Settled: 'There is nothing left to do.',
  Provisioning: 'Channel accounts are being created.',
  Shrinking: 'Channels that are not wanted are drained and merged into the sponsor.',
  Adopting: 'Channel accounts of an earlier pool of the same sponsor are taken over.',
  ChannelsMissing: 'Fewer channels can be leased than are wanted.',
  ChannelsQuarantined: 'Channels with a stuck sequence number were taken out and are replaced.',
  Empty: 'No channels are wanted: nothing can be settled.',
  SponsorSecretMissing: 'The Secret of the sponsor, or its key, does not exist.',
  SponsorSecretInvalid: 'What the Secret holds is not a seed (S...).',
  SponsorChanged: 'The Secret holds the seed of another sponsor while the first has channels.',
  SponsorMissing: 'The sponsor does not exist on the ledger: send it XLM.',
  SponsorShort: 'The sponsor cannot pay the reserves of the missing channels: send it XLM.',
  SponsorLow: 'The sponsor has less than minSponsorBalanceXlm: send it XLM.',
  SponsorFunded: 'The sponsor has what minSponsorBalanceXlm asks for.',
  DatabaseSecretMissing: 'The Secret of the database, or its key, does not exist.',
  DatabaseSecretInvalid: 'What the Secret holds is not a postgres:// URL.',
  StoreUnreachable: 'The database does not answer.',
  StoreSchemaOutdated:
    "The database does not have this version's schema yet: a Facilitator migrates it.",
  RpcUnreachable: 'No RPC endpoint answers.',
  RpcWrongNetwork: 'The RPC endpoints serve another network than the spec names.',
  Conflict: 'An older ChannelPool has the same sponsor on the same network.',
  Draining: 'The pool is being deleted and waits for settlements to end.',
  Retiring: 'The pool is being deleted and its channels are merged into the sponsor.',
  DeletionBlocked: 'The pool is being deleted, and something only a person can end keeps it.',
  CleanupSkipped: 'The annotation x402.svc.dev/skip-cleanup let the pool go with its channels.',
  Fenced: 'Another operator leads.',
  Forbidden: 'The operator lacks a permission in this cluster.',
  Failed: 'Something unexpected went wrong; the log of the operator says what.',
} as const

export type ChannelPoolReason = keyof typeof channelPoolReasons

/** One condition as the operator observes it; the generation and the time of its last change are added on writing. */
export interface ChannelPoolCondition {
  readonly type: ChannelPoolConditionType
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: ChannelPoolReason
  readonly message: string
}
