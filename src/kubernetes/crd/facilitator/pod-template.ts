import { z } from 'zod'
import { type CelRule, validations } from '../fields/cel.ts'
import {
  annotationMap,
  atomicList,
  labelMap,
  labelName,
  listMap,
  objectName,
  preserveUnknown,
  unchecked,
} from '../fields/fields.ts'
import { mainContainers, ports } from '../names/pods.ts'

/*
 * The pod template of a Facilitator. Its members are those of core/v1, which the API server validates when the
 * operator applies the Deployment: their whole schema would be 600 KiB.
 */

/** The operator selects its pods by such labels and rolls them by such annotations. */
const namesAreFree = (
  field: 'labels' | 'annotations',
  ...prefixes: readonly string[]
): CelRule => ({
  rule: `!has(self.${field}) || !self.${field}.exists(name, ${prefixes.map((prefix) => `name.startsWith('${prefix}')`).join(' || ')})`,
  message: `leave out ${field} that begin with ${prefixes.join(' or ')}: the operator sets those`,
  reason: 'FieldValueForbidden',
  fieldPath: `.${field}`,
})

/**
 * The security context of a pod or a container. Fields are nullable where the merge reads null as a removal: the API server drops null from others.
 * Beside the operator's runAsNonRoot the kubelet starts no container with the user 0.
 */
const securityContext = () =>
  z
    .looseObject({
      runAsUser: z
        .int()
        .min(0)
        .max(2_147_483_647)
        .nullable()
        .optional()
        .describe('Id of the user that processes run as.'),
      runAsNonRoot: z
        .boolean()
        .nullable()
        .optional()
        .describe('Whether the kubelet refuses to run as root; true when absent.'),
    })
    .meta({
      ...preserveUnknown,
      ...validations({
        rule: '!has(self.runAsUser) || self.runAsUser != 0 || has(self.runAsNonRoot) && !self.runAsNonRoot',
        message: 'runAsUser must not be 0 (root), unless runAsNonRoot is false beside it',
        reason: 'FieldValueInvalid',
        fieldPath: '.runAsUser',
      }),
    })

const containerPorts = z
  .array(
    z
      .looseObject({
        name: z.string().max(63).optional().describe('Its name.'),
        containerPort: z.int().min(1).max(65_535).optional().describe('Its number.'),
      })
      .meta(preserveUnknown)
      .describe('One port.'),
  )
  .max(16)
  .meta(atomicList)

const IS_MAIN = `self.name in [${mainContainers.map((name) => `'${name}'`).join(', ')}]`

/** A Service sends to the first port of the name, and two processes of a pod cannot listen on one number. */
const portsAreFree: CelRule = {
  rule: `${IS_MAIN} || !has(self.ports) || self.ports.all(port, (!has(port.name) || !(port.name in ['http', 'admin'])) && (!has(port.containerPort) || !(port.containerPort in [${ports.http}, ${ports.admin}])))`,
  message: `leave the ports http (${ports.http}) and admin (${ports.admin}) to the main container: use another name and number`,
  reason: 'FieldValueInvalid',
  fieldPath: '.ports',
}

const imageIsSet: CelRule = {
  rule: `${IS_MAIN} || has(self.image)`,
  message: `set image: only the main container has one of its own, and it is named ${mainContainers.join(', ')}`,
  reason: 'FieldValueRequired',
}

const container = (what: string) =>
  z
    .looseObject({
      name: labelName().describe('Its name.'),
      image: z
        .string()
        .max(1_024)
        .optional()
        .describe('Its image. The main container has that of spec.image.'),
      ports: containerPorts.nullable().optional().describe('Its ports.'),
      securityContext: securityContext()
        .nullable()
        .optional()
        .describe('Its own security context.'),
    })
    .meta({ ...preserveUnknown, ...validations(imageIsSet, portsAreFree) })
    .describe(what)

const containers = (what: string) =>
  z.array(container(what)).max(16).meta(listMap('name')).optional()

/** A list of core/v1 whose items have a name, by which writers and the merge with ours tell them apart. */
const named = (what: string, max: number) =>
  z
    .array(
      z
        .looseObject({ name: labelName().describe('Its name.') })
        .meta(preserveUnknown)
        .describe(what),
    )
    .max(max)
    .meta(listMap('name'))
    .optional()

const list = (what: string, max: number) =>
  z.array(unchecked().describe(what)).max(max).meta(atomicList).optional()

const word = () => z.string().min(1).max(253)

const spec = z.object({
  containers: containers('One container.').describe(
    'Containers beside the main one. One with the name svc is merged into the main container of every pod, one with the name of a part (facilitator, catalog, explorer) or a Job (migration, preflight) into that one.',
  ),
  initContainers: containers('One init container.').describe(
    'Containers that run before; with restartPolicy Always, beside the main one.',
  ),
  volumes: named('One volume.', 32).describe("Volumes in addition to the operator's."),
  securityContext: securityContext()
    .optional()
    .describe('Of the pod, merged with that of the operator; with $patch: replace it replaces it.'),
  serviceAccountName: objectName()
    .optional()
    .describe('ServiceAccount of the pods; one that the operator creates when absent.'),
  automountServiceAccountToken: z
    .boolean()
    .optional()
    .describe('Whether pods get a token of the API server; false when absent.'),
  imagePullSecrets: z
    .array(
      z
        .object({ name: objectName().describe('Name of the Secret, in the same namespace.') })
        .describe('One Secret.'),
    )
    .max(8)
    .meta(listMap('name'))
    .optional()
    .describe('Secrets to pull images with.'),
  priorityClassName: objectName().optional().describe('PriorityClass of the pods.'),
  preemptionPolicy: z
    .enum(['PreemptLowerPriority', 'Never'])
    .optional()
    .describe('Whether they may preempt others.'),
  nodeSelector: labelMap().optional().describe('Labels that a node must have.'),
  tolerations: list('One toleration.', 16).describe('Taints of nodes that pods tolerate.'),
  affinity: unchecked().optional().describe('Nodes and pods to run near or to avoid.'),
  topologySpreadConstraints: z
    .array(
      z
        .looseObject({
          topologyKey: z.string().min(1).max(317).describe('Label of nodes that tells domains.'),
          maxSkew: z
            .int()
            .min(1)
            .max(1_000)
            .optional()
            .describe('By how many pods domains may differ; 1 when absent.'),
          whenUnsatisfiable: z
            .enum(['ScheduleAnyway', 'DoNotSchedule'])
            .optional()
            .describe(
              'Whether pods start although they differ by more; ScheduleAnyway when absent.',
            ),
        })
        .meta(preserveUnknown)
        .describe('One kind of domain.'),
    )
    .max(8)
    .meta(atomicList)
    .prefault([
      { topologyKey: 'topology.kubernetes.io/zone' },
      { topologyKey: 'kubernetes.io/hostname' },
    ])
    .describe(
      'Domains over which the pods of each part are spread. maxSkew is 1, whenUnsatisfiable ScheduleAnyway and labelSelector the pods of the part when absent.',
    ),
  runtimeClassName: objectName().optional().describe('RuntimeClass of the pods.'),
  schedulerName: word().optional().describe('Scheduler of the pods.'),
  hostAliases: list('One address.', 16).describe('Entries of /etc/hosts.'),
  dnsPolicy: z
    .enum(['ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None'])
    .optional()
    .describe('How names are resolved.'),
  dnsConfig: unchecked().optional().describe('Name servers, search domains and options.'),
  enableServiceLinks: z
    .boolean()
    .optional()
    .describe('Whether Services become variables; false when absent.'),
  shareProcessNamespace: z.boolean().optional().describe('Whether containers share processes.'),
  hostUsers: z.boolean().optional().describe("Whether pods use the node's user namespace."),
  resources: unchecked().optional().describe('Resources of whole pods.'),
  terminationGracePeriodSeconds: z
    .int()
    .min(0)
    .max(3_600)
    .optional()
    .describe('Seconds to end; never less than settlements in progress need.'),
})

/** Merged with the operator's own pod templates by the rules of strategic merge. */
export const podTemplate = z.object({
  metadata: z
    .object({
      labels: labelMap().optional().describe('Labels in addition to those of the operator.'),
      annotations: annotationMap()
        .optional()
        .describe('Annotations in addition to those of the operator.'),
    })
    .meta(
      validations(
        namesAreFree('labels', 'app.kubernetes.io/', 'x402.svc.dev/'),
        namesAreFree('annotations', 'x402.svc.dev/'),
      ),
    )
    .prefault({})
    .describe('Metadata of the pods.'),
  spec: spec.prefault({}).describe('Members of the spec of the pods, as in core/v1.'),
})
