/** The conditions of a ChannelPool and the meaning of True. The first status has all of them. */
export const channelPoolConditionTypes = {
  Ready:
    'A settlement can be made now: at least one channel can be leased, and the sponsor can pay for it.',
  Progressing: 'Channels are being created, drained or merged.',
  Degraded: 'Something differs from the spec; settlements may still work.',
  Funded:
    'The sponsor can spend at least minSponsorBalanceXlm, and what each Facilitator of the pool requires; its locked reserves and the fees of settlements under way do not count.',
  SignerReachable:
    'What signs for the sponsor answers the operator; with a seed in a Secret, the operator signs itself.',
  SignerKeyMatches: 'The key that signs is that of the sponsor.',
  Reconciling: 'Progressing is True and nothing is in the way: the condition that kstatus reads.',
  Stalled: 'Nothing goes on before an administrator acts: the condition that kstatus reads.',
} as const

type ChannelPoolConditionType = keyof typeof channelPoolConditionTypes

/** Reasons of these conditions and of their events. */
export const channelPoolReasons = {
  NotObserved: 'The operator has not observed the pool yet.',
  Paused: 'The annotation x402.svc.dev/paused is true: the operator changes nothing.',
  ChannelsReady: 'Every channel that the pool should have can be leased.',
  AsSpecified: 'Nothing differs from the spec.',
  Settled: 'The pool has its desired channels: nothing is left to do.',
  Provisioning: 'Channel accounts are being created.',
  Shrinking: 'Surplus channels are drained and merged into the sponsor.',
  Adopting: 'The operator takes over channel accounts of an earlier pool of the same sponsor.',
  ChannelsMissing: 'Fewer channels can be leased than the pool should have.',
  ChannelsQuarantined: 'Channels cannot be used, and are replaced; status.quarantined says why.',
  Empty: 'The pool should have no channels, so nothing can be settled.',
  SponsorSecretMissing: 'The Secret of the sponsor, or its key, does not exist.',
  SponsorSecretInvalid: 'The key of the Secret does not hold a seed (S...).',
  Seed: 'The seed of the sponsor is in a Secret, and the operator signs with it.',
  Reachable: 'The signer answers.',
  KeyMatches: 'The key of the signer is that of spec.sponsor.address.',
  SignerUnreachable: 'The signer does not answer, or not in time.',
  SignerDenied: 'The signer refuses to sign for the operator; the message says why.',
  SignerSecretMissing:
    'A Secret with which the signer is asked (PIN, certificate authority, client certificate), or its key, does not exist.',
  SponsorKeyMismatch: 'The key that signs is not that of spec.sponsor.address.',
  SponsorAddressInvalid: 'spec.sponsor.address has a wrong checksum: copy it again.',
  ChannelSecretMissing:
    'The Secret from which the keys of the channels are derived does not exist, and the operator may not make another one: restore it from a backup.',
  ChannelSecretInvalid:
    'The Secret from which the keys of the channels are derived holds no seed: restore it from a backup.',
  SponsorChanged:
    'The Secret holds the seed of another sponsor, but the first one still has channels: put its seed back, and name a second Secret.',
  Rotating: 'The pool moves to another sponsor; status.rotation says how far it is.',
  RotationDone: 'The pool has moved to another sponsor.',
  FundsTaken: 'Emergency: XLM of the old sponsor went to another account than that of the new one.',
  RotationAborted: 'The pool has gone back to its sponsor before it left it.',
  RotationBlocked:
    'The pool cannot move on to the new sponsor; the message says what to do. It goes on serving.',
  SponsorMissing: 'The sponsor does not exist on the ledger: send it XLM.',
  SponsorShort:
    'The sponsor cannot create the missing channels and keep minSponsorBalanceXlm to spend: send it XLM.',
  SponsorCannotPay:
    'The sponsor can spend less than one settlement may cost and its Facilitator keeps in reserve, so nothing can be settled: send it XLM.',
  SponsorLow: 'The sponsor can spend less than minSponsorBalanceXlm: send it XLM.',
  SponsorFunded: 'The sponsor can spend at least minSponsorBalanceXlm.',
  DatabaseSecretMissing: 'The Secret of the database, or its key, does not exist.',
  DatabaseSecretInvalid:
    'The key of the Secret does not hold a postgres:// URL, or the database refuses it.',
  StoreUnreachable: 'The database does not answer.',
  StoreSchemaOutdated:
    "The database does not have the operator's schema yet: create the Facilitator, whose Job migrates it.",
  StoreSchemaNewer:
    'A newer version has changed the database: upgrade the operator. With Degraded it goes on managing the pool; with Ready it does not.',
  ChannelsInvalid:
    'The database has a channel whose index no pool has, or one twice: another program wrote it, so restore the table channels.',
  Fenced:
    'The database names another term of the operator as the last one that wrote: the operator writes nothing there.',
  RpcSecretMissing: 'A Secret of the RPC endpoints, or its key, does not exist.',
  RpcSecretInvalid:
    'The key of a Secret does not hold URLs of RPC endpoints, or headers for them; the message says in which form.',
  RpcUnreachable: 'No RPC endpoint answers.',
  RpcWrongNetwork: 'The RPC endpoints serve another network than the spec names.',
  Conflict: 'Another ChannelPool manages the channels of this sponsor on this network.',
  SponsorMarked:
    'The ledger says that the operator of another database manages the channels of this sponsor.',
  Draining: 'The pool is being deleted and waits for settlements to end.',
  Retiring: 'The pool is being deleted and its channels are merged into the sponsor.',
  DeletionBlocked:
    'The pool is being deleted, and the clean-up cannot continue; the message says what to do.',
  CleanupSkipped:
    'The pool was deleted without the clean-up that its policy asks for; its channels stay on the ledger.',
  Forbidden: 'The operator lacks a permission in this cluster.',
  Failed: 'An unexpected error occurred; the log of the operator has it.',
} as const

export type ChannelPoolReason = keyof typeof channelPoolReasons

/** One condition as the operator observes it; the generation and the time of its last change are added on writing. */
export interface ChannelPoolCondition {
  readonly type: ChannelPoolConditionType
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: ChannelPoolReason
  readonly message: string
}
