import { z } from 'zod'
import { notBoth, validations } from './cel.ts'
import { unchecked } from './fields.ts'

const pods = () => z.int().min(1).max(100).optional()

/** The HorizontalPodAutoscaler of a Facilitator. An object that an earlier version stored has `min` without its author. */
export const autoscale = z
  .object({
    minReplicas: pods().describe(
      'Minimum number of facilitator pods; 2 when absent, or maxReplicas if that is less.',
    ),
    maxReplicas: pods().describe('Maximum number of facilitator pods. It must be set.'),
    min: pods().describe('Earlier name of minReplicas; ignored beside the present names.'),
    max: pods().describe('Earlier name of maxReplicas.'),
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
    validations(
      {
        rule: 'has(self.maxReplicas) || (has(self.max) && !has(self.minReplicas))',
        message: 'set maxReplicas',
        reason: 'FieldValueRequired',
      },
      notBoth('max', 'maxReplicas'),
      {
        rule: '!has(self.minReplicas) || !has(self.maxReplicas) || self.minReplicas <= self.maxReplicas',
        message: 'minReplicas must not be above maxReplicas',
        reason: 'FieldValueInvalid',
        fieldPath: '.minReplicas',
      },
      {
        rule: '!has(self.min) || !has(self.max) || self.min <= self.max',
        message: 'min must not be above max',
        reason: 'FieldValueInvalid',
        fieldPath: '.min',
      },
    ),
  )
