import { z } from 'zod'
import { validations } from './cel.ts'
import { hasForm, type TextForm } from './text-form.ts'

export const percentageForm: TextForm = {
  expression: '^(100|[1-9]?[0-9])%$',
  message: 'must be a number from 0 to 100, or a percentage from 0% to 100%',
}

/** A number of pods or a share of them. */
export const podsOrPercent = () =>
  z
    .union([
      z.int().min(0).max(100),
      z
        .string()
        .max(4)
        .refine((text) => new RegExp(percentageForm.expression).test(text)),
    ])
    .meta(
      validations({
        rule: `type(self) == int ? self >= 0 && self <= 100 : ${hasForm('string(self)', percentageForm)}`,
        message: percentageForm.message,
        reason: 'FieldValueInvalid',
      }),
    )
