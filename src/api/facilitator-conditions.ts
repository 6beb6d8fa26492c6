/** What is observed of a Facilitator. All are there from the first look on, Unknown at first. */
export const facilitatorConditionTypes = {
  Ready: 'Payments can be verified and settled on every network of the spec.',
  Progressing: 'A rollout, a migration or a deletion is under way.',
  Degraded: 'Payments are served, but not as the spec asks.',
  ChannelsFunded: 'The sponsor of every pool has what its pool asks for.',
  RpcReachable: 'Stellar RPC of every network answers.',
  StoreReachable: 'The database answers and has the schema of this version.',
} as const

export type FacilitatorConditionType = keyof typeof facilitatorConditionTypes

/** Reasons of those conditions and of the events that tell about them. */
export const facilitatorReasons = {
  NotObserved: 'The operator has not looked yet.',
  Paused: 'The annotation x402.svc.dev/paused is true: the operator changes nothing.',
  Serving: 'Every replica that is wanted serves.',
  AsSpecified: 'Nothing differs from the spec.',
  ScaledToZero: 'No replicas are wanted: nothing is served.',
  ReplicasNotReady: 'Fewer replicas serve than are wanted.',
  RollingOut: 'Pods are being replaced.',
  RolledOut: 'Every pod is of the newest kind.',
  Migrating: 'The database is being brought up to this version.',
  MigrationFailed: 'The migration Job failed; its log says why. Nothing was rolled out.',
  ProgressDeadlineExceeded: 'A rollout makes no progress; the pods that failed say why.',
  PodsFailing: 'Pods cannot start, or crash again and again.',
  Deleting: 'The Facilitator is being deleted.',
  DatabaseSecretMissing: 'The Secret of the database, or its key, does not exist.',
  DatabaseSecretInvalid: 'What the Secret holds is not a postgres:// URL.',
  ApiKeysSecretMissing: 'The Secret with the digests, or its key, does not exist.',
  ApiKeysSecretInvalid: 'What the Secret holds are not SHA-256 digests.',
  EmbeddingsSecretMissing: 'The Secret of the embeddings endpoint, or its key, does not exist.',
  ImageMissing: 'Neither the spec nor the operator names an image: set spec.image.',
  PoolMissing: 'A ChannelPool of the spec does not exist.',
  PoolNotReady: 'A ChannelPool of the spec is not ready.',
  PoolTooSmall: 'The pools have fewer channels than the replicas can use.',
  PoolsReady: 'Every ChannelPool of the spec is ready.',
  PoolsFunded: 'The sponsor of every pool has what its pool asks for.',
  SponsorLow: 'The sponsor of a pool has less than minSponsorBalanceXlm: send it XLM.',
  NetworkTwice: 'Two pools of the spec are of the same network: keep one.',
  ApiKeyUndecided: 'A network is stellar:pubnet: set requireApiKey, to true or to false.',
  StoreMismatch: 'The Facilitator and a pool of it use different databases.',
  StoreAnswers: 'The database answers and has the schema of this version.',
  StoreUnreachable: 'The database does not answer.',
  RpcAnswers: 'Stellar RPC of every network answers.',
  RpcUnreachable: 'No RPC endpoint of a network answers.',
  UnsupportedVersion: 'The database is of a newer version than the image.',
  ChildRejected:
    'The cluster refused an object of the Facilitator; the message says which and why.',
  ChildNotOurs: 'An object of that name belongs to somebody else: rename or delete it.',
  RouteUnavailable: 'The cluster does not know the kind that the route needs.',
  MonitoringUnavailable: 'The cluster does not know the kinds of the Prometheus operator.',
  Forbidden: 'The operator lacks a permission in this cluster.',
  Failed: 'Something unexpected went wrong; the log of the operator says what.',
} as const

export type FacilitatorReason = keyof typeof facilitatorReasons

/** One condition as the operator observes it; the generation and the time of its last change are added on writing. */
export interface FacilitatorCondition {
  readonly type: FacilitatorConditionType
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: FacilitatorReason
  readonly message: string
}
