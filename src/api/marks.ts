import { GROUP, type KindName } from './group.ts'

/*
 * Everything that the operator writes into other people's view of the cluster, or reads there, apart
 * from the two kinds themselves.
 */

/** Annotations that people set on a Facilitator or a ChannelPool. */
export const annotations = {
  /** `"true"`: the operator changes nothing of this object until the annotation is gone. */
  paused: `${GROUP}/paused`,
  /**
   * `"true"` on a ChannelPool being deleted: give up its channels on the ledger and let it go. What
   * they hold in reserves stays locked there.
   */
  skipCleanup: `${GROUP}/skip-cleanup`,
  /**
   * On a ChannelPool: `namespace/name` of a pool that is gone for good but still stands in the store as the
   * owner of the sponsor's channels; this one takes them over.
   */
  takeOver: `${GROUP}/take-over`,
  /** Any value, by habit the time; a new one rolls every pod of a Facilitator once. */
  restartedAt: `${GROUP}/restartedAt`,
} as const

/** Annotations that the operator sets on what it makes. */
export const childAnnotations = {
  /** SHA-256 of the object as the operator wanted it last: what differs has drifted. */
  desiredHash: `${GROUP}/desired-hash`,
  /** On pod templates: SHA-256 of the configuration that the pods read. */
  configHash: `${GROUP}/config-hash`,
  /** On pod templates: SHA-256 of the secrets that the pods mount. */
  secretHash: `${GROUP}/secret-hash`,
} as const

/** Labels that the operator sets on what it makes; its caches select by `managedBy`. */
export const labels = {
  name: 'app.kubernetes.io/name',
  instance: 'app.kubernetes.io/instance',
  version: 'app.kubernetes.io/version',
  component: 'app.kubernetes.io/component',
  partOf: 'app.kubernetes.io/part-of',
  managedBy: 'app.kubernetes.io/managed-by',
  /** Name of the Facilitator that an object belongs to. */
  facilitator: `${GROUP}/facilitator`,
  /**
   * `"true"` on a Secret that our resources name: the operator watches it, and hears of a change at once.
   * Others are read again every half minute.
   */
  watch: `${GROUP}/watch`,
} as const

/** Values of those labels that are the same everywhere. */
export const labelValues = {
  partOf: 'x402-stellar',
  managedBy: 'x402-stellar-operator',
} as const

/** Keeps an object until what it made outside Kubernetes is taken care of. */
export const finalizer = `${GROUP}/cleanup`

/** Under which names the operator applies: one writer for each, so that none takes fields of another. */
export const fieldManagers = {
  /** Children and their fields. */
  children: 'x402-stellar-operator',
  /** The finalizer of our own kinds. */
  finalizer: 'x402-stellar-operator-finalizer',
  /** The status subresource. */
  status: 'x402-stellar-operator-status',
} as const

/** Reads an annotation that is on when it says `true`, for any of our kinds. */
export const isMarked = (
  object: {
    readonly kind: KindName
    readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined }
  },
  mark: 'paused' | 'skipCleanup',
): boolean => object.metadata.annotations?.[annotations[mark]] === 'true'
