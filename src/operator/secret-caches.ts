import { labels } from '../api/marks.ts'
import { createInformer, type Informer, type InformerOptions } from '../kube/informer.ts'
import { identityOf, metadataOf } from '../kube/metadata-only.ts'
import type { Key, KubeObject } from '../kube/resource.ts'
import { type Secret, wellKnown } from '../kube/well-known.ts'

/** What the operator watches of Secrets: nothing at all when it may not, or shall not, watch them. */
export interface SecretCaches {
  readonly informers: readonly Informer[]
  /** Those with the label `x402.svc.dev/watch`, with their values. */
  labelled(key: Key): Secret | undefined
  /** The version of any other Secret; undefined when there is none. Only where `sees` holds. */
  versionOf(key: Key): string | undefined
  /** Whether a change of a Secret in this namespace is reported. */
  sees(namespace: string): boolean
}

/** Helm's releases and tokens of service accounts: no resource names them, and a cluster may have thousands. */
const FIELD_SELECTOR = 'type!=helm.sh/release.v1,type!=kubernetes.io/service-account-token'

type Options = Omit<
  InformerOptions<KubeObject>,
  'type' | 'labelSelector' | 'fieldSelector' | 'transform' | 'indexes'
>

/** The values of labelled Secrets, and of all others name and version alone, which take 300 bytes each. */
export function createSecretCaches(options: Options): SecretCaches {
  const values = createInformer<Secret>({
    ...options,
    type: wellKnown.secret,
    labelSelector: `${labels.watch}=true`,
  })
  const versions = createInformer({
    ...options,
    type: metadataOf(wellKnown.secret),
    labelSelector: `${labels.watch}!=true`,
    fieldSelector: FIELD_SELECTOR,
    transform: identityOf,
  })
  return {
    informers: [values, versions].map((informer) => withoutGate(informer as Informer)),
    labelled: (key) => values.store.get(key),
    versionOf: (key) => versions.store.get(key)?.metadata.resourceVersion,
    sees: (namespace) => [values, versions].every((informer) => informer.sees(namespace)),
  }
}

/** For an operator that only reads Secrets by name. */
export const noSecretCaches: SecretCaches = {
  informers: [],
  labelled: () => undefined,
  versionOf: () => undefined,
  sees: () => false,
}

/** Without the right to list Secrets the operator reads them by name: no controller has to wait for the cache. */
const withoutGate = (informer: Informer): Informer => ({
  ...informer,
  synced: informer.answered,
  isRefused: () => false,
})
