import { z } from 'zod'
import { listMap, timestamp } from './fields.ts'

/** Writers cut longer messages. */
export const MAX_MESSAGE_LENGTH = 1_024

const condition = z
  .object({
    type: z
      .string()
      .min(1)
      .max(64)
      .regex(/^[A-Za-z]+$/)
      .describe('Type of the condition.'),
    status: z.enum(['True', 'False', 'Unknown']).describe('Whether the condition is met.'),
    observedGeneration: z.int().min(0).describe('metadata.generation of the observed object.'),
    lastTransitionTime: timestamp().describe('When status last changed.'),
    reason: z
      .string()
      .min(1)
      .max(64)
      .regex(/^[A-Za-z]+$/)
      .describe('Cause, as one word for programs.'),
    message: z.string().max(MAX_MESSAGE_LENGTH).describe('Cause and what to do, in one sentence.'),
  })
  .describe('One condition.')

/** Types and reasons are plain strings, so that an operator newer than the definition can report new ones. */
export const conditionList = (types: Readonly<Record<string, string>>) =>
  z
    .array(condition)
    .max(16)
    .meta({
      ...listMap('type'),
      description: `Conditions: ${Object.keys(types).join(', ')}.`,
    })
