import { z } from 'zod'
import { validations } from './cel.ts'

const quantityPattern = /^\+?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$/

/** A quantity of Kubernetes, such as `100m`, `1` or `256Mi`. */
export const quantity = () =>
  z
    .union([
      z.int().min(0).max(2_147_483_647),
      z
        .string()
        .max(32)
        .refine((text) => quantityPattern.test(text)),
    ])
    .meta(
      validations({
        rule: "isQuantity(string(self)) && !string(self).startsWith('-')",
        message: 'must be a quantity that is not negative, such as 100m or 0.5 of CPU, or 256Mi',
        reason: 'FieldValueInvalid',
      }),
    )

/** A rule about quantities that holds for others too: their own rule names the problem. */
export const ofQuantities = (fields: readonly string[], rule: string): string =>
  [...fields.map((field) => `!isQuantity(string(${field}))`), rule].join(' || ')

/** In CEL: the quantity of a field, once `ofQuantities` has asked whether it is one. */
export const quantityOf = (field: string): string => `quantity(string(${field}))`
