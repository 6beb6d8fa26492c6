import type { z } from 'zod'
import { ToolFailure } from '../answers/tool-failure.ts'

/** Reads facts with their schema. Throws `ToolFailure`: the service that gave them is another one, or of another version. */
export function readFacts<Schema extends z.ZodType>(
  schema: Schema,
  facts: unknown,
): z.output<Schema> {
  const read = schema.safeParse(facts)
  if (read.success) return read.data
  const place = read.error.issues[0]?.path.filter((each) => typeof each === 'string').join('.')
  throw new ToolFailure(
    'unexpected_answer',
    `the service's answer cannot be read at ${place || 'its root'}`,
  )
}
