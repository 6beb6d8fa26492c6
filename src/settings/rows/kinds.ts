import { z } from 'zod'
import {
  decimalUpTo,
  httpUrl,
  lumens as lumensField,
  MAX_FEE_STROOPS,
  stroops as stroopsField,
} from '../../kubernetes/crd/fields/fields.ts'
import { asStroops, type Stroops, stroopsFromLumens } from '../../platform/core/amounts/stroops.ts'
import { type UsdUnits, usdFromDecimal } from '../../platform/core/amounts/usd.ts'
import type { Kind, WithDefault, WithField } from './row.ts'

/*
 * The kinds of value that a variable can have. Each schema parses the text of one variable, undefined
 * when it is unset; each message continues the variable's name: "PORT must be ...". Where a field of a Kubernetes
 * resource can have the value, the kind has the type of the field too, with the same bounds.
 */

/** The largest number of 18 digits. */
const UNBOUNDED = 10n ** 18n - 1n

function wholeText(min: bigint, max: bigint) {
  const range = max === UNBOUNDED ? `at least ${min}` : `from ${min} to ${max}`
  const isInRange = (text: string) =>
    /^\d{1,18}$/.test(text) && BigInt(text) >= min && BigInt(text) <= max
  const text = z.string().refine(isInRange, { error: `must be a whole number ${range}` })
  return { text, range }
}

function whole(min: bigint, max: bigint, fallback: bigint): Kind<bigint> {
  const { text, range } = wholeText(min, max)
  const schema = z.string().default(String(fallback)).pipe(text).transform(BigInt)
  return { schema, fallback: String(fallback), range }
}

/** A whole number in a range, both ends allowed. */
export function integer(min: number, max: number, fallback: number): WithDefault<number, z.ZodInt> {
  const kind = whole(BigInt(min), BigInt(max), BigInt(fallback))
  return {
    ...kind,
    schema: kind.schema.transform(Number),
    field: z.int().min(min).max(max),
    fieldDefault: fallback,
  }
}

/** The same kind as `integer`, but it may be unset. */
export function optionalInteger(
  min: number,
  max: number,
  fallback: string,
): WithField<number | undefined, z.ZodInt> {
  const { text: set, range } = wholeText(BigInt(min), BigInt(max))
  return {
    schema: set.transform(Number).optional(),
    fallback,
    range,
    field: z.int().min(min).max(max),
  }
}

/** The least fee that the network takes for a transaction of one operation. */
const MIN_FEE_STROOPS = 100n

/** A fee, at least that of the network, and no more than any settlement may cost. */
export function stroops(fallback: bigint): WithDefault<Stroops, z.ZodString> {
  const kind = whole(MIN_FEE_STROOPS, MAX_FEE_STROOPS, fallback)
  const schema = kind.schema.transform(asStroops)
  return { ...kind, schema, field: stroopsField(), fieldDefault: String(fallback) }
}

const lumensText = z.string().refine((text) => /^\d{1,11}(\.\d{1,7})?$/.test(text), {
  error: 'must be an amount of XLM with at most 7 decimals',
})

/** An amount of XLM with at most 7 decimals, such as `2.5`. */
export function lumens(fallback: string): WithDefault<Stroops, z.ZodString> {
  const schema = z.string().default(fallback).pipe(lumensText).transform(stroopsFromLumens)
  return {
    schema,
    fallback,
    range: 'at most 7 decimals',
    field: lumensField(),
    fieldDefault: fallback,
  }
}

/** The same kind as `lumens`, at least `min`, but it may be unset. */
export function optionalLumens(
  min: string,
  fallback: string,
): WithField<Stroops | undefined, z.ZodString> {
  const amount = lumensText.transform(stroopsFromLumens)
  const schema = amount
    .refine((value) => value >= stroopsFromLumens(min), { error: `must be at least ${min} XLM` })
    .optional()
  return { schema, fallback, range: `at least ${min}, at most 7 decimals`, field: lumensField() }
}

/** More than any service takes for one settlement: an amount above it is a slip. */
const MAX_DOLLARS = 1_000
const mostDollars = usdFromDecimal(String(MAX_DOLLARS))

/** An amount of US dollars with at most 7 decimals, such as `0.001`. */
export function dollars(fallback: string): WithDefault<UsdUnits, z.ZodString> {
  const text = z.string().refine((value) => /^\d{1,11}(\.\d{1,7})?$/.test(value), {
    error: 'must be an amount of US dollars with at most 7 decimals',
  })
  const schema = z
    .string()
    .default(fallback)
    .pipe(text)
    .transform(usdFromDecimal)
    .refine((value) => value <= mostDollars, {
      error: `must be at most ${MAX_DOLLARS} US dollars`,
    })
  return {
    schema,
    fallback,
    range: `at most ${MAX_DOLLARS}, at most 7 decimals`,
    field: decimalUpTo(MAX_DOLLARS, 'US dollars'),
    fieldDefault: fallback,
  }
}

export function choice<const Choices extends readonly [string, ...string[]]>(
  choices: Choices,
  fallback: Choices[number],
): WithDefault<Choices[number], z.ZodEnum<{ [Choice in Choices[number]]: Choice }>> {
  const range = `one of ${choices.join(', ')}`
  const oneOf = z.enum(choices, { error: `must be ${range}` })
  return {
    schema: z.string().default(fallback).pipe(oneOf),
    fallback,
    range,
    field: z.enum(choices),
    fieldDefault: fallback,
  }
}

const literalBoolean = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .transform((text) => text === 'true')

/** Literally `true` or `false`. */
export const boolean = (fallback: boolean): WithDefault<boolean, z.ZodBoolean> => ({
  schema: z.string().default(String(fallback)).pipe(literalBoolean),
  fallback: String(fallback),
  range: 'true, false',
  field: z.boolean(),
  fieldDefault: fallback,
})

/** The same, for a setting whose default depends on others; `fallback` documents it. */
export const optionalBoolean = (fallback: string): Kind<boolean | undefined> => ({
  schema: literalBoolean.optional(),
  fallback,
  range: 'true, false',
})

export const isHttpUrl = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text)

/** An http or https URL; may be unset. */
export const optionalUrl: WithField<string | undefined, z.ZodString> = {
  schema: z.string().refine(isHttpUrl, { error: 'must be an http(s) URL' }).optional(),
  fallback: 'none',
  range: 'an http(s) URL',
  field: httpUrl(),
}

export const text = (fallback: string): Kind<string> => ({
  schema: z.string().default(fallback),
  fallback,
  range: '',
})

/**
 * Text that is required and must pass `isValid`; `range` continues "must be".
 * @param mistake what is wrong with an invalid text, where it is a known mistake; never holds the text
 */
export const required = (
  range: string,
  isValid: (text: string) => boolean,
  mistake: (text: string) => string | undefined = () => undefined,
): Kind<string> => ({
  schema: z.string({ error: 'is required' }).superRefine((text, context) => {
    if (isValid(text)) return
    context.addIssue({ code: 'custom', message: mistake(text) ?? `must be ${range}` })
  }),
  fallback: 'required',
  range,
})

/** Any kind, of a setting that may be unset. */
export const optional = <T>(kind: Kind<T>): Kind<T | undefined> => ({
  ...kind,
  schema: kind.schema.optional(),
  fallback: 'none',
})

/** Splits at commas, ignoring white space around them and empty elements. */
export const splitList = (text: string): string[] =>
  text
    .split(',')
    .map((element) => element.trim())
    .filter((element) => element !== '')

/** A comma-separated list of at least one element, each of which passes `isValid`; without duplicates. */
export function list<T extends string>(
  what: string,
  isValid: (element: string) => element is T,
  fallback?: T,
): Kind<readonly T[]>
export function list(
  what: string,
  isValid: (element: string) => boolean,
  fallback?: string,
): Kind<readonly string[]>
export function list(what: string, isValid: (element: string) => boolean, fallback?: string) {
  const base = z.string({ error: 'is required' })
  const schema = (fallback === undefined ? base : base.default(fallback))
    .transform((value) => [...new Set(splitList(value))])
    .refine((elements) => elements.length > 0 && elements.every(isValid), {
      error: `must be one or more ${what} with commas between them`,
    })
  return { schema, fallback: fallback ?? 'required', range: `one or more ${what}` }
}

/** The same kind as `list`, but it may be unset, and is empty then. */
export function optionalList(
  what: string,
  isValid: (element: string) => boolean,
): Kind<readonly string[]> {
  const { schema, range } = list(what, isValid)
  return { schema: z.union([z.undefined().transform(() => []), schema]), fallback: 'none', range }
}
