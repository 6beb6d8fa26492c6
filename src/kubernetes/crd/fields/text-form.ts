import { z } from 'zod'
import { type CelRule, validations } from './cel.ts'

/**
 * A form that a text must have. The API server would show a `pattern` as a bare expression, and check no rule of an object
 * in which one fails: a rule of the field says what to write instead.
 */
export interface TextForm {
  /** A regular expression that JavaScript and RE2 read alike, without backslashes and single quotes. */
  readonly expression: string
  /** Continues the path of the field. */
  readonly message: string
}

/** Whether a text has the form, in CEL. Rules that parse the text ask before: the field's own rule names the problem. */
export const hasForm = (text: string, { expression }: TextForm): string =>
  `${text}.matches('${expression}')`

const ruleOf = (form: TextForm): CelRule => ({
  rule: hasForm('self', form),
  message: form.message,
  reason: 'FieldValueInvalid',
})

/** A text of at most so many characters, the last bound of what rules may cost. */
export function formedText(max: number, form: TextForm, ...more: readonly CelRule[]) {
  const expression = new RegExp(form.expression)
  return z
    .string()
    .max(max)
    .refine((text) => expression.test(text), { error: form.message })
    .meta(validations(ruleOf(form), ...more))
}
