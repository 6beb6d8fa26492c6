import { z } from 'zod'
import { atomicList, labelName, stringMap } from './fields.ts'

/*
 * A pod's affinity as Kubernetes has it, bounded. It is passed on as it is; every list is atomic, as
 * in a pod.
 */

const labelKey = () => z.string().min(1).max(317)
const weight = () => z.int().min(1).max(100).describe('How much this counts, from 1 to 100.')

const values = z
  .array(z.string().max(63).describe('One value.'))
  .max(32)
  .meta(atomicList)
  .optional()
  .describe('The values to compare with; none for Exists and DoesNotExist.')

const requirement = <const Operators extends readonly [string, ...string[]]>(
  operators: Operators,
) =>
  z.object({
    key: labelKey().describe('The label to look at.'),
    operator: z.enum(operators).describe('How the label is compared with values.'),
    values,
  })

const nodeRequirements = (of: string) =>
  z
    .array(
      requirement(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']).describe(
        'One condition on a node.',
      ),
    )
    .max(16)
    .meta(atomicList)
    .optional()
    .describe(`Conditions on a node's ${of}, all of which must hold.`)

const nodeTerm = z.object({
  matchExpressions: nodeRequirements('labels'),
  matchFields: nodeRequirements('fields'),
})

const nodeAffinity = z.object({
  requiredDuringSchedulingIgnoredDuringExecution: z
    .object({
      nodeSelectorTerms: z
        .array(nodeTerm.describe('One kind of node.'))
        .min(1)
        .max(8)
        .meta(atomicList)
        .describe('Kinds of nodes, one of which must fit.'),
    })
    .optional()
    .describe('Nodes that pods must run on.'),
  preferredDuringSchedulingIgnoredDuringExecution: z
    .array(
      z
        .object({ weight: weight(), preference: nodeTerm.describe('The kind of node.') })
        .describe('One preference.'),
    )
    .max(8)
    .meta(atomicList)
    .optional()
    .describe('Nodes that pods had better run on.'),
})

const labelSelector = z.object({
  matchLabels: stringMap(63).optional().describe('Labels that must have these values.'),
  matchExpressions: z
    .array(
      requirement(['In', 'NotIn', 'Exists', 'DoesNotExist']).describe('One condition on a label.'),
    )
    .max(16)
    .meta(atomicList)
    .optional()
    .describe('Conditions on labels, all of which must hold.'),
})

const podTerm = z.object({
  topologyKey: labelKey().describe('Label of nodes that makes up one place.'),
  labelSelector: labelSelector.optional().describe('The other pods, by their labels.'),
  namespaceSelector: labelSelector
    .optional()
    .describe('Namespaces of the other pods, by their labels.'),
  namespaces: z
    .array(labelName().describe('One namespace.'))
    .max(16)
    .meta(atomicList)
    .optional()
    .describe("Namespaces of the other pods; the Facilitator's own when none is named."),
})

const podTerms = (which: string) =>
  z.object({
    requiredDuringSchedulingIgnoredDuringExecution: z
      .array(podTerm.describe('Other pods, and what counts as one place.'))
      .max(8)
      .meta(atomicList)
      .optional()
      .describe(`Other pods whose places are ${which}.`),
    preferredDuringSchedulingIgnoredDuringExecution: z
      .array(
        z
          .object({
            weight: weight(),
            podAffinityTerm: podTerm.describe('Other pods, and what counts as one place.'),
          })
          .describe('One preference.'),
      )
      .max(8)
      .meta(atomicList)
      .optional()
      .describe(`Other pods whose places are ${which}, if possible.`),
  })

export const affinity = z.object({
  nodeAffinity: nodeAffinity.optional().describe('Which nodes pods run on.'),
  podAffinity: podTerms('sought').optional().describe('Which pods they run beside.'),
  podAntiAffinity: podTerms('avoided').optional().describe('Which pods they keep away from.'),
})
