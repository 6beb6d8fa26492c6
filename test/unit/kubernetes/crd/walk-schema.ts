import type { StructuralSchema } from '../../../../src/kubernetes/crd/definitions/structural.ts'

export interface Place {
  /** Such as `spec.networks[].assets[].contract`; `{}` are the values of a map. */
  readonly path: string
  readonly schema: StructuralSchema
  /** Whether it is a field with a name, which people read about. */
  readonly isField: boolean
}

/** Every place below a schema, parents first. */
export function places(schema: StructuralSchema, path = ''): Place[] {
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const at = path === '' ? name : `${path}.${name}`
    return [{ path: at, schema: property, isField: true }, ...places(property, at)]
  })
  const inner = (part: StructuralSchema | undefined, at: string): Place[] =>
    part ? [{ path: at, schema: part, isField: false }, ...places(part, at)] : []
  return [
    ...fields,
    ...inner(schema.items, `${path}[]`),
    ...inner(schema.additionalProperties, `${path}{}`),
  ]
}
