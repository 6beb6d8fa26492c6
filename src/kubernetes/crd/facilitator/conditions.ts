/** The conditions of a Facilitator and the meaning of True. The first status has all of them. */
export const facilitatorConditionTypes = {
  Ready:
    "Payments can be made now through the Facilitator's own Service, on every network of the spec.",
  Progressing: 'A rollout, a migration or a deletion is in progress.',
  Degraded: 'Something differs from the spec; payments may still be served.',
  ChannelsFunded: 'The sponsor of every pool can spend at least minSponsorBalanceXlm.',
  RpcReachable: 'Stellar RPC of every network answers.',
  StoreReachable: 'The database answers and has the schema of this version.',
  TermsPayable:
    'A simulated payment in every accepted asset and every scheme could be made on the terms of the spec.',
  PodTemplateAccepted: 'Pods have everything that spec.podTemplate asks for.',
  Reconciling: 'Progressing is True and nothing is in the way: the condition that kstatus reads.',
  Stalled: 'Nothing goes on before an administrator acts: the condition that kstatus reads.',
} as const

type FacilitatorConditionType = keyof typeof facilitatorConditionTypes

/** Reasons of these conditions and of their events. */
export const facilitatorReasons = {
  NotObserved: 'The operator has not observed it yet.',
  Paused: 'The annotation x402.svc.dev/paused is true: the operator changes nothing.',
  Serving: 'All replicas of the spec are ready.',
  AsSpecified: 'Nothing differs from the spec.',
  ScaledToZero: 'The spec asks for no replicas, so no payment is served.',
  ReplicasNotReady: 'Fewer replicas are ready than the spec asks for.',
  RollingOut: 'Pods are being replaced.',
  RolledOut: 'All pods run the latest spec.',
  Migrating: 'A Job migrates the database to this version.',
  MigrationFailed:
    'The migration Job failed; the message has its last output. Nothing was rolled out.',
  PreflightRunning:
    'A Job checks that pods of the new configuration could settle; nothing is rolled out before it succeeds.',
  PreflightFailed:
    'Pods of the new configuration could not settle; the message has the output of the check. Pods that serve stay as they are.',
  RolloutWaiting:
    'New pods wait until fewer Facilitators roll out a change that is not in their specs.',
  RolloutHeld:
    'The same change stalled on another Facilitator of the namespace, so this one is not rolled out; the message names that one.',
  TemplateOverridden:
    'The operator replaced members of spec.podTemplate that would make pods unsafe; the message names them.',
  TemplateApplied: 'Pods have everything that spec.podTemplate asks for.',
  ProgressDeadlineExceeded: 'A rollout makes no progress; status.failingPods says why.',
  PodsFailing: 'Pods cannot start, or crash repeatedly.',
  Deleting: 'The Facilitator is being deleted.',
  DatabaseSecretMissing: 'The Secret of the database, or its key, does not exist.',
  DatabaseSecretInvalid:
    'The key of the Secret does not hold a postgres:// URL, or the database refuses it.',
  ApiKeysSecretMissing: 'The Secret with the digests, or its key, does not exist.',
  ApiKeysSecretInvalid:
    'The key of the Secret is empty, so that no API key is accepted, or holds other text than digests with their names and times.',
  EmbeddingsSecretMissing: 'The Secret of the embeddings endpoint, or its key, does not exist.',
  SignerSecretMissing:
    'A Secret with which pods ask the signer of a sponsor (PIN, certificate authority, client certificate), or its key, does not exist.',
  RpcSecretMissing: 'A Secret with the RPC endpoints of a pool, or its key, does not exist.',
  RpcSecretInvalid:
    'The key of a Secret does not hold URLs of RPC endpoints, or headers for them; the message says in which form.',
  ImageMissing: 'Neither the spec nor the operator names an image: set spec.image.',
  PoolMissing: 'A ChannelPool of the spec does not exist.',
  PoolNotReady: 'A ChannelPool of the spec is not ready.',
  PoolDegraded: 'A ChannelPool of the spec serves and differs from its own spec.',
  PoolTooSmall: 'A pool has fewer channels than there are replicas.',
  PoolsReady: 'Every ChannelPool of the spec is ready.',
  PoolsFunded: 'The sponsor of every pool can spend at least minSponsorBalanceXlm.',
  SponsorLow: 'The sponsor of a pool can spend less than minSponsorBalanceXlm: send it XLM.',
  NetworkTwice: 'Two pools of the spec have the same network: keep one.',
  ApiKeyUndecided: 'A network is stellar:pubnet: set access, to ApiKeys or to Everyone.',
  AddressInvalid:
    'An address of a contract in the spec has a wrong checksum; the message names it. Nothing is rolled out.',
  UrlInvalid:
    'A URL of the spec or of a pool cannot be read; the message names it. Nothing is rolled out.',
  SpecTooLarge:
    'The spec is larger than the operator holds: shorten it, most likely podTemplate. Every object stays as it is until then.',
  StoreMismatch: 'The Facilitator and one of its pools use different databases.',
  StoreAnswers: 'The database answers and has the schema of this version.',
  SchemaNewer:
    'A newer version migrated the database; the image works with its schema, and nothing was migrated.',
  StoreUnreachable: 'The database does not answer.',
  RpcAnswers: 'Stellar RPC of every network answers.',
  RpcUnreachable: 'No RPC endpoint of a network answers.',
  UnsupportedVersion: 'The database has a newer schema than the image supports.',
  ChildRejected:
    'The cluster refused an object of the Facilitator; the message says which and why.',
  ChildNotOurs:
    'An object with the name of a child exists that the operator did not create: delete it, or let the Facilitator take it over with the annotation x402.svc.dev/adopt-by.',
  ManagedTwice:
    'Another installation of the operator manages this Facilitator, too: let only one watch its namespace.',
  ServiceMissing: 'The Facilitator has no Service of its own, so no payment reaches its pods.',
  RouteUnavailable: 'The cluster does not serve the kind that the route needs.',
  MonitoringUnavailable: 'The cluster does not serve the kinds of the Prometheus operator.',
  TermsTried: 'Facilitator pods simulated a payment in every accepted asset and every scheme.',
  TermsInvalid:
    'No payment can be made on some terms of the spec, or they contradict the ledger; the message names the field and the value that would do.',
  TermsUnpayable:
    'It is known of every accepted asset and every scheme of all networks that no payment can be made on the terms of the spec; the message names the field and the value that would do.',
  NotTried:
    "No payment was simulated, most often because no holder of an asset is known yet; the message says of which. It is in nobody's way.",
  UptoKeeperFailed:
    'The keeper of a settlement contract fails, so that the contract may be archived; other payments are not affected.',
  Forbidden: 'The operator lacks a permission in this cluster.',
  Failed: 'An unexpected error occurred; the log of the operator has it.',
} as const

/** Reasons of events that no condition has: something was done once. */
export const facilitatorEventReasons = {
  UptoContractExtended: 'The TTL of a settlement contract was extended; the note has the hash.',
  UptoContractRestored: 'An archived settlement contract was restored; the note has the hash.',
} as const

export type FacilitatorReason = keyof typeof facilitatorReasons

/** One condition as the operator observes it; the generation and the time of its last change are added on writing. */
export interface FacilitatorCondition {
  readonly type: FacilitatorConditionType
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: FacilitatorReason
  readonly message: string
}
