import type { ChannelPool } from '../../../../src/kubernetes/crd/channel-pool.ts'
import type { Facilitator } from '../../../../src/kubernetes/crd/facilitator.ts'
import { API_VERSION } from '../../../../src/kubernetes/crd/names/group.ts'
import { refusedChild } from '../../../../src/kubernetes/operator/facilitator/converge/refused-child.ts'
import { desiredFacilitator } from '../../../../src/kubernetes/operator/facilitator/desired/desired.ts'
import type { ObservedFacilitator } from '../../../../src/kubernetes/operator/facilitator/observe/observe.ts'
import {
  type Rendered,
  render,
} from '../../../../src/kubernetes/operator/facilitator/render/render.ts'
import { secretDigest } from '../../../../src/kubernetes/operator/secret-digest.ts'
import {
  isOptional,
  kindOf,
  typeOf,
} from '../../../../src/kubernetes/operator/watches/child-kinds.ts'
import { errorOfAnswer } from '../../../../src/kubernetes/runtime/client/kube-error.ts'
import {
  collectionPath,
  type DesiredObject,
} from '../../../../src/kubernetes/runtime/objects/resource.ts'
import { type Manifest, poolManifest } from '../../../support/api/manifests.ts'
import { isRuleMessage } from '../../../support/api/wrong/rule-messages.ts'
import type { WrongManifest } from '../../../support/api/wrong/wrong-manifests.ts'
import { DEFAULT_IMAGE } from '../../../unit/kubernetes/operator/facilitator/builders.ts'
import type { Cluster } from '../../support/cluster.ts'
import { objectsIn, wordsOf } from './objects.ts'

/** What becomes of a manifest. */
export interface Verdict {
  /** `schema` and `rule`: the API server refuses it. Otherwise the reason of a condition, or `silent`. */
  readonly by: string
  readonly says: string
}

/** Judges manifests by dry runs: what the API server refuses, and what the operator would say about the others. */
export function judgeIn(cluster: Cluster, namespace: string) {
  const objects = objectsIn(cluster, namespace)
  return async ({
    before,
    manifest,
  }: Pick<WrongManifest, 'before' | 'manifest'>): Promise<Verdict> => {
    if (before) await objects.create(before)
    const answer = await (before ? objects.tryReplace(manifest) : objects.tryCreate(manifest))
    if (answer.status >= 400) {
      const says = wordsOf(answer)
      return { by: isRuleMessage(says) ? 'rule' : 'schema', says }
    }
    return manifest.kind === 'Facilitator'
      ? await conditionOf(cluster, namespace, Object(answer.body) as Facilitator)
      : { by: 'silent', says: '' }
  }
}

/** The first condition about a Facilitator that was accepted. */
async function conditionOf(
  cluster: Cluster,
  namespace: string,
  facilitator: Facilitator,
): Promise<Verdict> {
  const result = desiredFacilitator(observedOf(facilitator))
  if ('blocker' in result) return { by: result.blocker.reason, says: result.blocker.message }
  const rendered = render(result.desired)
  for (const object of childrenOf(rendered)) {
    const refusal = await refusalOf(cluster, namespace, object)
    if (refusal !== undefined) return { by: 'ChildRejected', says: refusal }
  }
  const overridden = rendered.rollouts.flatMap((rollout) => rollout.overridden)
  return overridden.length > 0
    ? { by: 'TemplateOverridden', says: [...new Set(overridden)].join(', ') }
    : { by: 'silent', says: '' }
}

const childrenOf = ({ independent, migration, rollouts }: Rendered): readonly DesiredObject[] => [
  ...independent,
  migration,
  ...rollouts.flatMap(({ configMap, deployment }) => [configMap, deployment]),
]

/** As the operator applies it. The cluster has no optional kinds. */
async function refusalOf(
  { request }: Cluster,
  namespace: string,
  object: DesiredObject,
): Promise<string | undefined> {
  const kind = kindOf(object)
  if (isOptional(kind)) return undefined
  const path = `${collectionPath(typeOf(kind), namespace)}/${object.metadata.name}`
  const answer = await request(
    'PATCH',
    `${path}?fieldManager=test&force=true&dryRun=All&fieldValidation=Strict`,
    {
      body: { ...object, metadata: { ...object.metadata, namespace } },
      contentType: 'application/apply-patch+yaml',
    },
  )
  if (answer.status < 300) return undefined
  const { status, text: body } = answer
  const error = errorOfAnswer({ status, body, retryAfter: undefined, call: `PATCH ${path}` })
  if (error.kind !== 'invalid') throw new Error(`${object.kind}: ${error.message}`)
  return refusedChild(error, object)
}

const pool = (name: string, spec = {}): [string, ChannelPool] => {
  const { kind, metadata, spec: given } = poolManifest(spec, { name }) as Manifest
  const stored = {
    apiVersion: API_VERSION,
    kind,
    metadata,
    spec: {
      channels: 8,
      ...given,
      rpc: { allowHttp: false, ...Object(given['rpc']) },
      sponsor: { secretRef: { name: 'testnet-sponsor', key: 'secret' } },
      minSponsorBalanceXlm: '25',
      database: { secretRef: { key: 'url', ...Object(given['database']).secretRef } },
    },
  }
  // The members are those of any object; the API server of these tests checks the same manifest.
  return [name, stored as unknown as ChannelPool]
}

const pools = new Map([
  pool('testnet'),
  pool('testnet-2'),
  pool('pubnet', { network: 'stellar:pubnet' }),
  pool('elsewhere', { database: { secretRef: { name: 'other-database' } } }),
])

const secrets = new Map(
  Object.entries({
    'x402-database/url': 'postgres://svc:secret@db.shop.svc:5433/x402',
    'other-database/url': 'postgres://svc:secret@other.shop.svc:5433/x402',
    'direct/url': 'postgres://svc:secret@direct.shop.svc:5433/x402',
    'replica/url': 'postgres://svc:secret@replica.shop.svc:5433/x402',
    'testnet-sponsor/secret': `S${'A'.repeat(55)}`,
    'keys/sha256': 'a'.repeat(64),
    'empty-keys/sha256': '',
    'ca/ca.crt': 'a certificate',
  }),
)

const observedOf = (facilitator: Facilitator): ObservedFacilitator => ({
  facilitator,
  pools: new Map(
    facilitator.spec.networks.flatMap(({ channelPool: name }) => {
      const found = pools.get(name)
      return found ? [[name, found] as const] : []
    }),
  ),
  secrets,
  digest: secretDigest(Buffer.alloc(32)),
  hasUnwatchedSecrets: false,
  image: { reference: DEFAULT_IMAGE, pullPolicy: 'IfNotPresent' },
  owned: [],
  find: () => undefined,
  serves: () => false,
  failing: [],
  servingPods: [],
  now: 0,
})
