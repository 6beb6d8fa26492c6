import { z } from 'zod'
import { searchSchema, singleSchema } from '../../catalog/discovery/answer-schemas.ts'

/* Reads the catalog's answers, by the schemas that it answers with. */

export const searchAnswer = readerOf(searchSchema)
export const listingAnswer = readerOf(singleSchema)

/** The schema for a reader: a later version of the service may say more, and that is left out. */
function readerOf<Schema extends z.ZodType>(schema: Schema): z.ZodType<z.output<Schema>> {
  return withoutUnknown(schema) as z.ZodType<z.output<Schema>>
}

function withoutUnknown(schema: unknown): z.ZodType {
  if (schema instanceof z.ZodObject) {
    const members = Object.entries(schema.shape)
    return z.object(
      Object.fromEntries(members.map(([name, member]) => [name, withoutUnknown(member)])),
    )
  }
  if (schema instanceof z.ZodArray) {
    return schema.clone({ ...schema.def, element: withoutUnknown(schema.element) })
  }
  if (schema instanceof z.ZodReadonly) return withoutUnknown(schema.unwrap())
  if (schema instanceof z.ZodNullable) return withoutUnknown(schema.unwrap()).nullable()
  if (schema instanceof z.ZodExactOptional) {
    return withoutUnknown(schema.unwrap()).exactOptional()
  }
  return schema as z.ZodType
}
