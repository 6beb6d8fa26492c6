import { z } from 'zod'
import { type CelRule, validations } from './cel.ts'
import { secretKeyRef } from './fields.ts'

/* The database of both kinds. */

export const databaseUrl = secretKeyRef('url', 'the postgres:// URL').describe(
  'The URL of the database.',
)
export const databaseCa = secretKeyRef('ca.crt', 'the certificates in PEM')
  .optional()
  .describe(
    "Certificate authority of the database's TLS certificate, as CloudNativePG and others have it; the public ones when absent.",
  )

/** One key of a Secret holds one of them. */
export const differsFromUrl = (field: string, instead: string): CelRule => ({
  rule: `!has(self.${field}) || self.${field}.name != self.secretRef.name || self.${field}.key != self.secretRef.key`,
  message: `${field} must name another key than secretRef: ${instead}`,
  reason: 'FieldValueInvalid',
  fieldPath: `.${field}`,
})
export const caIsNoUrl = differsFromUrl('caSecretRef', 'a certificate is no URL')

/** The database of a ChannelPool: the operator connects to it. */
export const poolDatabase = z
  .object({
    secretRef: databaseUrl,
    caSecretRef: databaseCa,
    poolSize: z
      .int()
      .min(1)
      .max(100)
      .optional()
      .describe('Maximum connections of the operator to this database; 10 when absent.'),
  })
  .meta(validations(caIsNoUrl))
