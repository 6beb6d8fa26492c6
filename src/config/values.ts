import { z } from 'zod'
import { asStroops, type Stroops, stroopsFromLumens } from '../core/stroops.ts'

/*
 * The kinds of value a variable can hold. Each reads the text of one variable, undefined when it
 * is unset, and each message continues the variable's name: "PORT must be ...".
 */

const REQUIRED = 'is required'

const readWhole = (text: string): bigint | undefined =>
  /^\d{1,18}$/.test(text) ? BigInt(text) : undefined

function whole(min: bigint, max: bigint, fallback: bigint) {
  const range = max === UNBOUNDED ? `of at least ${min}` : `from ${min} to ${max}`
  return z
    .string()
    .default(String(fallback))
    .refine(
      (text) => {
        const value = readWhole(text)
        return value !== undefined && value >= min && value <= max
      },
      { error: `must be a whole number ${range}` },
    )
}

/** The largest number of 18 digits. */
const UNBOUNDED = 10n ** 18n - 1n

/** A whole number in a range, both ends allowed. */
export const integer = (min: number, max: number, fallback: number) =>
  whole(BigInt(min), BigInt(max), BigInt(fallback)).transform(Number)

export const stroops = (min: bigint, fallback: bigint) =>
  whole(min, UNBOUNDED, fallback).transform((text): Stroops => asStroops(BigInt(text)))

export const choice = <const Choices extends readonly [string, ...string[]]>(
  choices: Choices,
  fallback: Choices[number],
) =>
  z
    .string()
    .default(fallback)
    .pipe(z.enum(choices, { error: `must be one of ${choices.join(', ')}` }))

const literalBoolean = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .transform((text) => text === 'true')

/** Literally `true` or `false`. */
export const boolean = (fallback: boolean) =>
  z.string().default(String(fallback)).pipe(literalBoolean)

/** The same, for a setting whose default depends on others. */
export const optionalBoolean = () => literalBoolean.optional()

/** An amount of XLM with at most 7 decimals, such as `2.5`. */
export const lumens = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .refine((text) => /^\d{1,11}(\.\d{1,7})?$/.test(text), {
      error: 'must be an amount of XLM with at most 7 decimals',
    })
    .transform(stroopsFromLumens)

export const text = (fallback: string) => z.string().default(fallback)

export const required = () => z.string({ error: REQUIRED })

/** Comma-separated, white space around the commas ignored; at least one element. */
export const list = () =>
  z.string({ error: REQUIRED }).transform((value) =>
    value
      .split(',')
      .map((element) => element.trim())
      .filter((element) => element !== ''),
  )
