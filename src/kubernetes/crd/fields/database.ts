import { z } from 'zod'
import { secretKeyRef } from './fields.ts'

/* The database of both kinds. */

const url = secretKeyRef('url', 'the postgres:// URL').describe('The URL of the database.')
const ca = secretKeyRef('ca.crt', 'the certificates in PEM')
  .optional()
  .describe(
    "Certificate authority of the database's TLS certificate, as CloudNativePG and others have it; the public ones when absent.",
  )

/** The database of a ChannelPool: the operator connects to it. */
export const poolDatabase = z.object({
  secretRef: url,
  caSecretRef: ca,
  poolSize: z
    .int()
    .min(1)
    .max(100)
    .optional()
    .describe('Maximum connections of the operator to this database; 10 when absent.'),
})

/** The database of a Facilitator: its pods and the migration connect to it. */
export const database = z.object({
  secretRef: url,
  caSecretRef: ca,
  directSecretRef: secretKeyRef('url', 'the postgres:// URL')
    .optional()
    .describe(
      'With a connection pooler in secretRef: the same database without it, for migrations and notifications.',
    ),
  poolSize: z
    .int()
    .min(1)
    .max(1_000)
    .optional()
    .describe('Maximum connections of one pod; 10 when absent.'),
})
