import { labels } from '../../crd/names/marks.ts'
import {
  createInformer,
  type Informer,
  type InformerOptions,
} from '../../runtime/cache/informer.ts'
import { metadataOf } from '../../runtime/objects/metadata-only.ts'
import type { Key, KubeObject } from '../../runtime/objects/resource.ts'
import { type Secret, wellKnown } from '../../runtime/objects/well-known.ts'
import { isHeld, withFinalizer, withShortValues } from './short-values.ts'

/** The Secrets that the operator watches: none when it lacks the permission, or is configured not to watch them. */
export interface SecretCaches {
  readonly informers: readonly Informer[]
  /** A Secret with the label `x402.svc.dev/watch`, with its values, unless these are long. */
  labelled(key: Key): Secret | undefined
  /** The version of any other Secret; undefined when there is none. Only where `sees` holds. */
  versionOf(key: Key): string | undefined
  /** The Secrets in this namespace that a rotation holds, or has held. */
  heldIn(namespace: string): readonly KubeObject[]
  /** Whether a change of a Secret in this namespace is reported. */
  sees(namespace: string): boolean
}

/** Helm's releases and tokens of service accounts: no resource names them, and a cluster may have thousands. */
const FIELD_SELECTOR = 'type!=helm.sh/release.v1,type!=kubernetes.io/service-account-token'

type Options = Omit<
  InformerOptions<KubeObject>,
  'type' | 'labelSelector' | 'fieldSelector' | 'transform' | 'indexes'
>

/** The short values of labelled Secrets, and of all others name and version alone, which take 300 bytes each. */
export function createSecretCaches(options: Options): SecretCaches {
  const values = createInformer<Secret>({
    ...options,
    type: wellKnown.secret,
    labelSelector: `${labels.watch}=true`,
    transform: withShortValues,
    indexes,
  })
  const versions = createInformer({
    ...options,
    type: metadataOf(wellKnown.secret),
    labelSelector: `${labels.watch}!=true`,
    fieldSelector: FIELD_SELECTOR,
    transform: withFinalizer,
    indexes,
  })
  return {
    informers: [values, versions].map((informer) => withoutGate(informer as Informer)),
    labelled: (key) => {
      const secret = values.store.get(key)
      return secret?.data ? secret : undefined
    },
    versionOf: (key) =>
      (versions.store.get(key) ?? values.store.get(key))?.metadata.resourceVersion,
    heldIn: (namespace) =>
      [values, versions].flatMap(({ store }) => store.by(HELD, namespace) as KubeObject[]),
    sees: (namespace) => [values, versions].every((informer) => informer.sees(namespace)),
  }
}

const HELD = 'held'
const indexes = {
  [HELD]: (secret: KubeObject) =>
    isHeld(secret) && secret.metadata.namespace ? [secret.metadata.namespace] : [],
}

/** The caches of an operator that only reads Secrets by name. */
export const noSecretCaches: SecretCaches = {
  informers: [],
  labelled: () => undefined,
  versionOf: () => undefined,
  heldIn: () => [],
  sees: () => false,
}

/** Without the right to list Secrets the operator reads them by name: no controller has to wait for the cache. */
const withoutGate = (informer: Informer): Informer => ({
  ...informer,
  synced: informer.answered,
  isRefused: () => false,
})
