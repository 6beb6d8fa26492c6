import { GROUP, type KindName } from './group.ts'

/* Names of annotations, labels, finalizers and field managers. */

/** Annotations that users set on a Facilitator or a ChannelPool. */
export const annotations = {
  /** `"true"`: the operator changes nothing of this object until the annotation is gone. */
  paused: `${GROUP}/paused`,
  /**
   * `"true"` on a ChannelPool being deleted: the deletion leaves its channels on the ledger, with their
   * reserves locked.
   */
  skipCleanup: `${GROUP}/skip-cleanup`,
  /**
   * On a ChannelPool: `namespace/name` of a deleted pool that the store still has as the owner of the
   * sponsor's channels, or the id of the store that the ledger names; this pool takes them over.
   */
  takeOver: `${GROUP}/take-over`,
  /** On an object with the name of a child: the Facilitator, by name, that may take it over and change it. */
  adoptBy: `${GROUP}/adopt-by`,
  /** `"true"` on a Facilitator: pods that serve are replaced without a preflight. */
  skipPreflight: `${GROUP}/skip-preflight`,
  /** Any value, usually the time: a new one rolls every pod of a Facilitator once. */
  restartedAt: `${GROUP}/restartedAt`,
} as const

/** Annotations that the operator sets on children. */
export const childAnnotations = {
  /** SHA-256 of the object as the operator last applied it. */
  desiredHash: `${GROUP}/desired-hash`,
  /** On Deployments: SHA-256 of the pod template as the operator last applied it. */
  templateHash: `${GROUP}/template-hash`,
  /** On Deployments of facilitator pods: SHA-256 of what a preflight depends on. */
  preflightHash: `${GROUP}/preflight-hash`,
  /** On Jobs from the second attempt on: its number. */
  attempt: `${GROUP}/attempt`,
  /** On pod templates: SHA-256 of the configuration that the pods read. */
  configHash: `${GROUP}/config-hash`,
  /** On pod templates: keyed digest of the secrets that the pods mount. */
  secretHash: `${GROUP}/secret-hash`,
} as const

/** Labels that the operator sets on children; its caches select by `managedBy`. */
export const labels = {
  name: 'app.kubernetes.io/name',
  instance: 'app.kubernetes.io/instance',
  version: 'app.kubernetes.io/version',
  component: 'app.kubernetes.io/component',
  partOf: 'app.kubernetes.io/part-of',
  managedBy: 'app.kubernetes.io/managed-by',
  /** Name of the Facilitator that an object belongs to. */
  facilitator: `${GROUP}/facilitator`,
  /** On a Secret that the operator created for channels: the name of their ChannelPool. */
  channelPool: `${GROUP}/channel-pool`,
  /**
   * `"true"` on a Secret that a resource names: the operator watches it with its values. Of other Secrets it watches
   * name and version, and reads the values by name.
   */
  watch: `${GROUP}/watch`,
} as const

/** Label values that are the same on every child. */
export const labelValues = {
  partOf: 'stellar-x402',
  managedBy: 'stellar-x402-operator',
} as const

/** Delays the deletion of a ChannelPool until its accounts on the ledger are cleaned up. */
export const finalizer = `${GROUP}/cleanup`

/** Keeps both Secrets of a change of the sponsor until it has ended: only their seeds can merge the channels. */
export const sponsorFinalizer = `${GROUP}/sponsor`

/** Field managers of server-side apply: one for each writer, so that none takes over fields of another. */
export const fieldManagers = {
  /** Children and their fields. */
  children: 'stellar-x402-operator',
  /** The finalizers of ChannelPools and of their Secrets. */
  finalizer: 'stellar-x402-operator-finalizer',
  /** The status subresource. */
  status: 'stellar-x402-operator-status',
} as const

/** Whether the annotation is `true`. */
export const isMarked = (
  object: {
    readonly kind: KindName
    readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined }
  },
  mark: 'paused' | 'skipCleanup' | 'skipPreflight',
): boolean => object.metadata.annotations?.[annotations[mark]] === 'true'
