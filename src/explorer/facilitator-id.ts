import { z } from 'zod'

/**
 * The id of a facilitator is a host, or a host and a number. A host is at most as long as a base URL. Control characters
 * are refused here, because Postgres refuses a text with a zero character.
 */
export const facilitatorIdSchema = z.string().regex(/^[\x21-\x7e]{1,300}$/)
