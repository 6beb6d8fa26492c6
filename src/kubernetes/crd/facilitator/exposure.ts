import { z } from 'zod'
import { type CelRule, validations } from '../fields/cel.ts'
import { annotationMap, labelMap } from '../fields/fields.ts'
import { podsOrPercent } from '../fields/percentage.ts'
import { formedText } from '../fields/text-form.ts'
import { settingFields } from './setting-fields.ts'

/* Fields of a Facilitator for its Service, its ServiceAccount, its disruption budgets, and the destination of traces. */

const onlyWith = (field: string, types: readonly string[]): CelRule => ({
  rule: `!has(self.${field}) || ${types.map((type) => `self.type == '${type}'`).join(' || ')}`,
  message: `leave out ${field}, unless type is ${types.join(' or ')}`,
  reason: 'FieldValueForbidden',
  fieldPath: `.${field}`,
})

/** Kubernetes allows no change either: the Service would be refused after the Facilitator was accepted. */
const classStays: CelRule = {
  rule: [
    "self.type != 'LoadBalancer' || oldSelf.type != 'LoadBalancer'",
    'has(self.loadBalancerClass) == has(oldSelf.loadBalancerClass) && (!has(self.loadBalancerClass) || self.loadBalancerClass == oldSelf.loadBalancerClass)',
  ].join(' || '),
  message:
    'loadBalancerClass cannot be changed while type is LoadBalancer: set type to ClusterIP first, and then both',
  reason: 'FieldValueForbidden',
  fieldPath: '.loadBalancerClass',
}

export const service = z
  .object({
    type: z
      .enum(['ClusterIP', 'NodePort', 'LoadBalancer'])
      .default('ClusterIP')
      .describe('Type of the Service.'),
    annotations: annotationMap().optional().describe('Annotations of the Service.'),
    labels: labelMap().optional().describe('Labels in addition to those of the operator.'),
    loadBalancerClass: formedText(317, {
      expression:
        '^([a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$',
      message:
        "must be the name of a class, such as example.com/internal: letters, digits, '-', '_' and '.', with at most one '/'",
    })
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
      classStays,
    ),
  )

export const serviceAccount = z.object({
  annotations: annotationMap()
    .optional()
    .describe('Its annotations, by which a cloud lets the pods act as one of its identities.'),
})

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
    validations(
      {
        rule: '!has(self.minAvailable) || !has(self.maxUnavailable)',
        message: 'set one of minAvailable and maxUnavailable',
        reason: 'FieldValueInvalid',
      },
      {
        rule: "!has(self.maxUnavailable) || !(string(self.maxUnavailable) in ['0', '0%'])",
        message:
          'maxUnavailable must be at least 1 or 1%: with 0 no node with a pod could be drained',
        reason: 'FieldValueInvalid',
        fieldPath: '.maxUnavailable',
      },
    ),
  )

export const tracing = z.object(settingFields('tracing'))
