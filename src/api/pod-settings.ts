import { z } from 'zod'
import { affinity } from './affinity.ts'
import { type CelRule, validations } from './cel.ts'
import { annotationMap, atomicList, labelMap, listMap, objectName, quantity } from './fields.ts'

const memoryFits: CelRule = {
  rule: 'quantity(string(self.requests.memory)).compareTo(quantity(string(self.limits.memory))) <= 0',
  message: 'requests.memory must not be above limits.memory',
  reason: 'FieldValueInvalid',
  fieldPath: '.requests.memory',
}

const cpuFits: CelRule = {
  rule: '!has(self.limits.cpu) || quantity(string(self.requests.cpu)).compareTo(quantity(string(self.limits.cpu))) <= 0',
  message: 'requests.cpu must not be above limits.cpu',
  reason: 'FieldValueInvalid',
  fieldPath: '.requests.cpu',
}

/** Below it no process of ours starts; 1 and 512m are bytes and thousandths of a byte. */
const memoryIsEnough: CelRule = {
  rule: "quantity(string(self.limits.memory)).compareTo(quantity('64Mi')) >= 0",
  message: 'limits.memory must be at least 64Mi',
  reason: 'FieldValueInvalid',
  fieldPath: '.limits.memory',
}

const memoryExists: CelRule = {
  rule: "quantity(string(self.requests.memory)).compareTo(quantity('1Ti')) <= 0",
  message: 'requests.memory must be at most 1Ti',
  reason: 'FieldValueInvalid',
  fieldPath: '.requests.memory',
}

/** Resources of one container. Memory is always limited, CPU only if the spec says so. */
export const resources = (cpu: string, memory: string, memoryLimit: string) =>
  z
    .object({
      requests: z
        .object({
          cpu: quantity().default(cpu).describe('Requested CPU.'),
          memory: quantity().default(memory).describe('Requested memory.'),
        })
        .prefault({})
        .describe('What a node reserves for each pod.'),
      limits: z
        .object({
          cpu: quantity().optional().describe('CPU limit; none when absent.'),
          memory: quantity()
            .default(memoryLimit)
            .describe('Memory limit: above it the pod is killed.'),
        })
        .prefault({})
        .describe('What each pod may use at most.'),
    })
    .meta(validations(memoryFits, cpuFits, memoryIsEnough, memoryExists))

const tolerationRules: readonly CelRule[] = [
  {
    rule: "self.operator == 'Exists' || has(self.key)",
    message: 'key must be set, unless operator is Exists',
    reason: 'FieldValueRequired',
  },
  {
    rule: "self.operator == 'Equal' || !has(self.value)",
    message: 'leave out value when operator is Exists',
    reason: 'FieldValueForbidden',
    fieldPath: '.value',
  },
  {
    rule: "!has(self.tolerationSeconds) || (has(self.effect) && self.effect == 'NoExecute')",
    message: 'leave out tolerationSeconds, unless effect is NoExecute',
    reason: 'FieldValueForbidden',
    fieldPath: '.tolerationSeconds',
  },
]

const toleration = z
  .object({
    key: z.string().max(317).optional().describe('Key of the taint; every taint when absent.'),
    operator: z
      .enum(['Exists', 'Equal'])
      .default('Equal')
      .describe('Equal: the taint has this value. Exists: it has any value.'),
    value: z.string().max(63).optional().describe('Value of the taint.'),
    effect: z
      .enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute'])
      .optional()
      .describe('Effect of the taint; every effect when absent.'),
    tolerationSeconds: z
      .int()
      .min(0)
      .max(2_147_483_647)
      .optional()
      .describe('With NoExecute: seconds that pods stay after the taint was added.'),
  })
  .meta(validations(...tolerationRules))

const spread = z.object({
  topologyKey: z
    .string()
    .min(1)
    .max(317)
    .describe('Label of nodes; nodes with the same value are one domain.'),
  maxSkew: z
    .int()
    .min(1)
    .max(100)
    .default(1)
    .describe('How many more pods one domain may have than another.'),
  whenUnsatisfiable: z
    .enum(['ScheduleAnyway', 'DoNotSchedule'])
    .default('ScheduleAnyway')
    .describe('Whether pods that cannot be spread run anyway, or wait.'),
})

/** The operator selects its pods by such labels and rolls them by such annotations. */
export const namesAreFree = (
  field: 'labels' | 'annotations',
  ...prefixes: readonly string[]
): CelRule => ({
  rule: `!has(self.${field}) || !self.${field}.exists(name, ${prefixes.map((prefix) => `name.startsWith('${prefix}')`).join(' || ')})`,
  message: `leave out ${field} that begin with ${prefixes.join(' or ')}: the operator sets those`,
  reason: 'FieldValueForbidden',
  fieldPath: `.${field}`,
})

/** Settings of all pods of a Facilitator, as they were before `podTemplate`. */
export const podSettings = z
  .object({
    labels: labelMap().optional().describe('Labels in addition to those of the operator.'),
    annotations: annotationMap()
      .optional()
      .describe('Annotations in addition to those of the operator.'),
    imagePullSecrets: z
      .array(
        z
          .object({ name: objectName().describe('Name of the Secret, in the same namespace.') })
          .describe('One Secret.'),
      )
      .max(8)
      .meta(listMap('name'))
      .optional()
      .describe('Secrets to pull the image with.'),
    priorityClassName: objectName()
      .optional()
      .describe('PriorityClass of the pods; the default of the cluster when absent.'),
    nodeSelector: labelMap().optional().describe('Labels that a node must have.'),
    tolerations: z
      .array(toleration.describe('One taint.'))
      .max(16)
      .meta(atomicList)
      .optional()
      .describe('Taints of nodes that pods may run on anyway.'),
    affinity: affinity.optional().describe('Nodes and pods to run near or to avoid.'),
    topologySpread: z
      .array(spread.describe('One kind of domain.'))
      .max(4)
      .meta(listMap('topologyKey'))
      .optional()
      .describe('Domains over which the pods of each part are spread; by default zones and nodes.'),
  })
  .meta(
    validations(
      namesAreFree('labels', 'app.kubernetes.io/', 'x402.svc.dev/'),
      namesAreFree('annotations', 'x402.svc.dev/'),
    ),
  )
