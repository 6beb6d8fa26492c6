/** What an image says that a newer version's migration has removed what it uses. */
const refusal = /which this version does not know/

/**
 * Whether the output of a failed migration is such a refusal. It holds whatever this operator knows of the schema: the image applies the
 * same rule to all migrations of the database, of which an operator that is as old does not know the newest either.
 */
export const isRefusal = (message: string): boolean => refusal.test(message)
