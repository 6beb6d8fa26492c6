import { z } from 'zod'
import { type CelRule, validations } from '../fields/cel.ts'
import { annotationMap, labelMap } from '../fields/fields.ts'
import { settingFields } from './setting-fields.ts'

/* Fields of a Facilitator for its Service, its ServiceAccount, its disruption budgets, and the destination of traces. */

const onlyWith = (field: string, types: readonly string[]): CelRule => ({
  rule: `!has(self.${field}) || ${types.map((type) => `self.type == '${type}'`).join(' || ')}`,
  message: `leave out ${field}, unless type is ${types.join(' or ')}`,
  reason: 'FieldValueForbidden',
  fieldPath: `.${field}`,
})

export const service = z
  .object({
    type: z
      .enum(['ClusterIP', 'NodePort', 'LoadBalancer'])
      .default('ClusterIP')
      .describe('Type of the Service.'),
    annotations: annotationMap().optional().describe('Annotations of the Service.'),
    labels: labelMap().optional().describe('Labels in addition to those of the operator.'),
    loadBalancerClass: z
      .string()
      .min(1)
      .max(317)
      .optional()
      .describe('Which implementation serves the load balancer; it cannot be changed later.'),
    externalTrafficPolicy: z
      .enum(['Cluster', 'Local'])
      .optional()
      .describe('Local keeps the address of the client and sends to pods of the same node only.'),
  })
  .meta(
    validations(
      onlyWith('loadBalancerClass', ['LoadBalancer']),
      onlyWith('externalTrafficPolicy', ['NodePort', 'LoadBalancer']),
    ),
  )

export const serviceAccount = z.object({
  annotations: annotationMap()
    .optional()
    .describe('Its annotations, by which a cloud lets the pods act as one of its identities.'),
})

/** A number of pods or a share of them. */
const podsOrPercent = () =>
  z.union([
    z.int().min(0).max(100),
    z
      .string()
      .max(4)
      .regex(/^(100|[1-9]?[0-9])%$/),
  ])

export const disruptionBudget = z
  .object({
    minAvailable: podsOrPercent()
      .optional()
      .describe('Pods that must stay, as a number or in percent. Not with maxUnavailable.'),
    maxUnavailable: podsOrPercent()
      .optional()
      .describe('Pods that may be missing, as a number or in percent. Not with minAvailable.'),
    unhealthyPodEvictionPolicy: z
      .enum(['AlwaysAllow', 'IfHealthyBudget'])
      .default('AlwaysAllow')
      .describe('Whether pods that are not ready may always be evicted.'),
  })
  .meta(
    validations({
      rule: '!has(self.minAvailable) || !has(self.maxUnavailable)',
      message: 'set one of minAvailable and maxUnavailable',
      reason: 'FieldValueInvalid',
    }),
  )

export const tracing = z.object(settingFields('tracing'))
