import { z } from 'zod'
import { validations } from '../fields/cel.ts'
import { caIsNoUrl, databaseCa, databaseUrl, differsFromUrl } from '../fields/database.ts'
import { secretKeyRef } from '../fields/fields.ts'
import { settingFields } from './setting-fields.ts'

/** The database of a Facilitator: its pods and the migration connect. */
export const database = z
  .object({
    secretRef: databaseUrl,
    caSecretRef: databaseCa,
    directSecretRef: secretKeyRef('url', 'the postgres:// URL')
      .optional()
      .describe(
        'With a connection pooler in secretRef: the same database without it, for migrations and notifications.',
      ),
    ...settingFields('database'),
  })
  .meta(
    validations(
      caIsNoUrl,
      differsFromUrl('directSecretRef', 'leave it out without a connection pooler'),
    ),
  )
