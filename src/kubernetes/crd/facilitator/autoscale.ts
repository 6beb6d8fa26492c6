import { z } from 'zod'
import { validations } from '../fields/cel.ts'
import { unchecked } from '../fields/fields.ts'

const pods = () => z.int().min(1).max(100)

/** The HorizontalPodAutoscaler of a Facilitator. */
export const autoscale = z
  .object({
    minReplicas: pods()
      .optional()
      .describe(
        'Minimum number of facilitator pods; 2 when absent, or maxReplicas if that is less.',
      ),
    maxReplicas: pods().describe('Maximum number of facilitator pods.'),
    targetCpuPercent: z
      .int()
      .min(1)
      .max(100)
      .default(70)
      .describe(
        'Pods are added while they use on average more than this share of their requested CPU, in percent.',
      ),
    targetInFlightSettlements: z
      .int()
      .min(1)
      .max(1_000)
      .optional()
      .describe(
        'Pods are added while there are more unfinished settlements per pod than this; needs an adapter that serves Prometheus metrics to the cluster.',
      ),
    behavior: unchecked()
      .optional()
      .describe('How fast pods are added and removed, as behavior of autoscaling/v2.'),
  })
  .meta(
    validations({
      rule: '!has(self.minReplicas) || self.minReplicas <= self.maxReplicas',
      message: 'minReplicas must not be above maxReplicas',
      reason: 'FieldValueInvalid',
      fieldPath: '.minReplicas',
    }),
  )
