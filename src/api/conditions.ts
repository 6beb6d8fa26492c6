import { z } from 'zod'
import { listMap, timestamp } from './fields.ts'

/** The most characters a condition's message has; a writer cuts what is longer. */
export const MAX_MESSAGE_LENGTH = 1_024

const condition = z
  .object({
    type: z
      .string()
      .min(1)
      .max(64)
      .regex(/^[A-Za-z]+$/)
      .describe('What was observed.'),
    status: z.enum(['True', 'False', 'Unknown']).describe('Whether it is so.'),
    observedGeneration: z
      .int()
      .min(0)
      .describe('metadata.generation of the object when this was observed.'),
    lastTransitionTime: timestamp().describe('When status changed last.'),
    reason: z
      .string()
      .min(1)
      .max(64)
      .regex(/^[A-Za-z]+$/)
      .describe('Why, in one word for programs.'),
    message: z
      .string()
      .max(MAX_MESSAGE_LENGTH)
      .describe('Why, and what to do, in one sentence for people.'),
  })
  .describe('One thing observed.')

/**
 * The list of conditions of a kind. Types and reasons are strings to the API server, so that an
 * operator newer than the definition can still report.
 */
export const conditionList = (types: Readonly<Record<string, string>>) =>
  z
    .array(condition)
    .max(16)
    .meta({
      ...listMap('type'),
      description: `What was observed last: ${Object.keys(types).join(', ')}.`,
    })
