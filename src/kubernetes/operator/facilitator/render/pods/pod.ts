import type { Facilitator } from '../../../../crd/facilitator.ts'
import type { Members } from '../../../../runtime/apply/merge-keys.ts'
import { labelsOf, nameOf, selectorOf } from '../../spec/child-metadata.ts'
import type { PodImage } from '../../spec/image.ts'
import type { Part } from '../../spec/parts.ts'
import { type PodToken, SECRETS_PATH, type SecretFile } from '../../spec/secret-files.ts'
import { type MergedTemplate, mergeTemplate } from './merge-template.ts'
import { canonicalQuantity } from './quantity.ts'

/** No user of any node has this id. */
const USER_ID = 10_001
const READ_BY_OWNER = 0o400

export interface PodParts {
  readonly facilitator: Facilitator
  readonly component: string
  readonly image: PodImage
  /** The command of `svc`, and its arguments. */
  readonly args: readonly string[]
  readonly configMap?: string
  /** Names of the variables in the ConfigMap: they win over those of the spec's template. */
  readonly variables?: readonly string[]
  readonly files: readonly SecretFile[]
  /** @default none */
  readonly tokens?: readonly PodToken[]
  readonly resources: Part['resources']
  readonly annotations: Readonly<Record<string, string>>
  /** Further fields of the container. */
  readonly container?: Readonly<Record<string, unknown>>
  /** Further fields of the pod's spec. */
  readonly pod?: Readonly<Record<string, unknown>>
}

/** A pod template that satisfies the restricted Pod Security Standard, as long as the spec's template does. */
export const podTemplate = (parts: PodParts): Readonly<Record<string, unknown>> =>
  mergedPodTemplate(parts).template

export const mergedPodTemplate = (parts: PodParts): MergedTemplate =>
  mergeTemplate({
    ours: ownTemplate(parts),
    theirs: podTemplateOf(parts.facilitator),
    variables: parts.variables ?? [],
    ends: parts.pod?.['restartPolicy'] === 'Never',
  })

function ownTemplate(parts: PodParts): Readonly<Record<string, unknown>> {
  const { facilitator, component } = parts
  return {
    metadata: { labels: labelsOf(facilitator, component), annotations: parts.annotations },
    spec: {
      serviceAccountName: nameOf(facilitator, 'pods'),
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: USER_ID,
        runAsGroup: USER_ID,
        fsGroup: USER_ID,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [containerOf(parts)],
      volumes: [
        { name: 'tmp', emptyDir: { sizeLimit: '64Mi' } },
        {
          name: 'secrets',
          projected: { defaultMode: READ_BY_OWNER, sources: sourcesOf(parts) },
        },
      ],
      ...parts.pod,
    },
  }
}

const containerOf = (parts: PodParts) => ({
  name: parts.component,
  image: parts.image.reference,
  imagePullPolicy: parts.image.pullPolicy,
  args: parts.args,
  ...(parts.configMap !== undefined && { envFrom: [{ configMapRef: { name: parts.configMap } }] }),
  resources: resourcesOf(parts.resources),
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  },
  volumeMounts: [
    { name: 'tmp', mountPath: '/tmp' },
    { name: 'secrets', mountPath: SECRETS_PATH, readOnly: true },
  ],
  // The pod's status then has the last log lines, which the operator reports.
  terminationMessagePolicy: 'FallbackToLogsOnError',
  ...parts.container,
})

/** The kubelet renews the token after 80 % of this time. */
const TOKEN_SECONDS = 3_600

const sourcesOf = ({ files, tokens = [] }: Pick<PodParts, 'files' | 'tokens'>) => [
  ...files.map(({ ref, file }) => ({
    secret: { name: ref.name, items: [{ key: ref.key, path: file }] },
  })),
  ...tokens.map(({ audience, file }) => ({
    serviceAccountToken: { audience, expirationSeconds: TOKEN_SECONDS, path: file },
  })),
]

/**
 * Pods write 64 MiB in /tmp, and logs besides, which the kubelet rotates. Without a request they are the first that a full node
 * evicts. `podTemplate` may set others.
 */
const ephemeral = { request: '128Mi', limit: '1Gi' } as const

function resourcesOf({ requests, limits }: Part['resources']) {
  const { cpu, memory } = limits
  return {
    requests: {
      cpu: canonicalQuantity(requests.cpu),
      memory: canonicalQuantity(requests.memory),
      'ephemeral-storage': ephemeral.request,
    },
    limits: {
      ...(cpu !== undefined && { cpu: canonicalQuantity(cpu) }),
      memory: canonicalQuantity(memory),
      'ephemeral-storage': ephemeral.limit,
    },
  }
}

/** `matchLabelKeys`: pods of the previous rollout do not count. */
export const spreadOf = (facilitator: Facilitator, component: string) => ({
  topologySpreadConstraints: podTemplateOf(facilitator).spec.topologySpreadConstraints.map(
    (spread) => ({
      ...(spread['labelSelector'] === undefined && {
        labelSelector: { matchLabels: selectorOf(facilitator, component) },
        matchLabelKeys: ['pod-template-hash'],
      }),
      ...spread,
    }),
  ),
})

/**
 * The pod template of a spec with what items of its lists leave out. The definition has no such defaults: the lists are
 * atomic, so that of two field managers with the same manifest one would own the filled-in members. They are written
 * out, because a manifest that adds them must not replace pods.
 */
export function podTemplateOf({ spec: { podTemplate } }: Facilitator) {
  const { metadata, spec } = podTemplate
  const { tolerations, topologySpreadConstraints: constraints } = spec
  return {
    metadata,
    spec: {
      ...spec,
      ...(tolerations && {
        tolerations: tolerations.map((each) => ({ operator: 'Equal', ...each })),
      }),
      topologySpreadConstraints: constraints.map(
        (each): Members => ({
          maxSkew: 1,
          whenUnsatisfiable: 'ScheduleAnyway',
          ...each,
        }),
      ),
    },
  }
}
