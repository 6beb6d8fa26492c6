import { z } from 'zod'
import { printable } from '../../core/text/printable.ts'

/** A parameter of a path or a query: how its text is read, and the rule that its value must follow. */
export interface Parameter<Schema extends z.ZodType = z.ZodType> {
  /** The value's rule; the OpenAPI document shows its input side. */
  readonly schema: Schema
  /** How the text becomes a value: as it is, as a whole number, or cut at commas. @default 'text' */
  readonly reads?: 'text' | 'integer' | 'list'
  /** A sentence for the OpenAPI document, and for a caller whose value does not follow the rule. */
  readonly rule: string
  readonly isRequired?: boolean
}

export type Parameters = Readonly<Record<string, Parameter>>

type ParameterValues<P extends Parameters> = {
  readonly [Name in keyof P]?: z.output<P[Name]['schema']>
}

export type ReadQuery<P extends Parameters> =
  | { readonly ok: true; readonly values: ParameterValues<P> }
  | RefusedQuery

export interface RefusedQuery {
  readonly ok: false
  /** One sentence that names the parameter and repeats no value. */
  readonly reason: string
  /** The parameter as the caller wrote it, made safe to show, and cut short. */
  readonly parameter: string
  /** Its value, likewise; absent when the parameter is missing. */
  readonly value?: string
}

const MAX_NAME = 40
const MAX_VALUE = 100

/** Reads a query strictly: a parameter that is unknown, stands twice or does not follow its rule is refused. */
export function readQuery<P extends Parameters>(parameters: P, query: unknown): ReadQuery<P> {
  const values: Record<string, unknown> = {}
  for (const [name, text] of Object.entries(query ?? {})) {
    const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined
    if (!parameter) return refused(name, text, `the parameter ${quoted(name)} is not supported`)
    if (typeof text !== 'string')
      return refused(name, text, `the parameter ${name} is given more than once`)
    const parsed = parameter.schema.safeParse(readText(text, parameter.reads))
    if (!parsed.success)
      return refused(name, text, `the parameter ${name} must be ${parameter.rule}`)
    values[name] = parsed.data
  }
  for (const [name, { isRequired }] of Object.entries(parameters)) {
    if (isRequired && !Object.hasOwn(values, name))
      return refused(name, undefined, `the parameter ${name} is missing`)
  }
  return { ok: true, values: values as ParameterValues<P> }
}

const refused = (name: string, value: unknown, reason: string): RefusedQuery => ({
  ok: false,
  reason,
  parameter: shown(name, MAX_NAME),
  ...(value !== undefined && { value: shown([value].flat().join(','), MAX_VALUE) }),
})

/** Text that the caller chose, cut short: it is repeated to the caller and in the log. */
const shown = (text: string, length: number): string =>
  printable(text.length > length ? `${text.slice(0, length)}...` : text)

const quoted = (name: string): string => JSON.stringify(shown(name, MAX_NAME))

function readText(text: string, reads: Parameter['reads'] = 'text'): unknown {
  if (reads === 'list') return text.split(',')
  if (reads === 'text') return text
  // A number beyond these is above every limit, or below none.
  return /^\d+$/.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : undefined
}

/** A whole number from `min` on; one above `max` counts as `max`. */
export const clampedInteger = (min: number, max: number) =>
  z
    .int()
    .min(min)
    .transform((value) => Math.min(value, max))
