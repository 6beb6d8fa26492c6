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

/** Resources of one container. Memory is always limited, the processor only if asked for. */
export const resources = (cpu: string, memory: string, memoryLimit: string) =>
  z
    .object({
      requests: z
        .object({
          cpu: quantity().default(cpu).describe('Share of a processor that is kept free.'),
          memory: quantity().default(memory).describe('Memory that is kept free.'),
        })
        .prefault({})
        .describe('What a node must have free.'),
      limits: z
        .object({
          cpu: quantity().optional().describe('The most of a processor; no limit when absent.'),
          memory: quantity().default(memoryLimit).describe('Memory above which it is killed.'),
        })
        .prefault({})
        .describe('What it may use at most.'),
    })
    .meta(validations(memoryFits, cpuFits))

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
    key: z.string().max(317).optional().describe('The taint; every taint when absent.'),
    operator: z
      .enum(['Exists', 'Equal'])
      .default('Equal')
      .describe('Whether the taint has to have the value, or only to be there.'),
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
      .describe('With NoExecute: how long pods stay after the taint has come.'),
  })
  .meta(validations(...tolerationRules))

const spread = z.object({
  topologyKey: z.string().min(1).max(317).describe('Label of nodes that makes up one place.'),
  maxSkew: z
    .int()
    .min(1)
    .max(100)
    .default(1)
    .describe('How many more pods one place may have than another.'),
  whenUnsatisfiable: z
    .enum(['ScheduleAnyway', 'DoNotSchedule'])
    .default('ScheduleAnyway')
    .describe('Whether pods run where they do not spread, or wait.'),
})

/** The operator finds its pods by labels, and rolls them by annotations, of these names. */
const namesAreFree = (
  field: 'labels' | 'annotations',
  ...prefixes: readonly string[]
): CelRule => ({
  rule: `!has(self.${field}) || !self.${field}.exists(name, ${prefixes.map((prefix) => `name.startsWith('${prefix}')`).join(' || ')})`,
  message: `leave out ${field} that begin with ${prefixes.join(' or ')}: the operator sets those`,
  reason: 'FieldValueForbidden',
  fieldPath: `.${field}`,
})

/** What all pods of a Facilitator have in common. */
export const podSettings = z
  .object({
    labels: labelMap().optional().describe("Labels beside the operator's own."),
    annotations: annotationMap().optional().describe("Annotations beside the operator's own."),
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
      .describe('Taints of nodes that pods may run on all the same.'),
    affinity: affinity.optional().describe('Nodes and pods that pods seek or avoid.'),
    topologySpread: z
      .array(spread.describe('One kind of place.'))
      .max(4)
      .meta(listMap('topologyKey'))
      .default([
        {
          topologyKey: 'topology.kubernetes.io/zone',
          maxSkew: 1,
          whenUnsatisfiable: 'ScheduleAnyway',
        },
        { topologyKey: 'kubernetes.io/hostname', maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway' },
      ])
      .describe('Places over which the pods of each part are spread; by default zones and nodes.'),
  })
  .meta(
    validations(
      namesAreFree('labels', 'app.kubernetes.io/', 'x402.svc.dev/'),
      namesAreFree('annotations', 'x402.svc.dev/'),
    ),
  )
