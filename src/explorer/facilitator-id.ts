import { z } from 'zod'

/**
 * What may be the id of a facilitator: a host, or a host and a number. A host is at most as long as a base URL. Postgres
 * refuses a text with a zero character, so none of the hidden ones goes there.
 */
export const facilitatorIdSchema = z.string().regex(/^[\x21-\x7e]{1,300}$/)
