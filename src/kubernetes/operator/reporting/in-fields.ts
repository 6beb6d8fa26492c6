/*
 * Pods and the parts that the operator shares with them name settings by their variables. A user of Kubernetes sets fields.
 */

/** Fields by the variable that has their value; a variable with `_FILE` after its name has the same one. */
export type FieldNames = ReadonlyMap<string, string>

/** The fields that Facilitators and ChannelPools have. */
export const databaseFields = {
  DATABASE_URL: 'the URL of spec.database.secretRef',
  DATABASE_CA: 'spec.database.caSecretRef',
  DATABASE_POOL_SIZE: 'spec.database.poolSize',
} as const

/** This says how to name a file, where a field names a Secret. */
const aboutFiles: readonly (readonly [RegExp, string])[] = [
  [
    /the file of (its|a) CA( of your own)? in DATABASE_CA_FILE(, or in &sslrootcert=FILE of DATABASE_URL)?/g,
    'the Secret of $1 CA$2 in DATABASE_CA_FILE',
  ],
  [/, or name a file with the whole URL in DATABASE_URL_FILE/g, ''],
]

/** With the end of its field in brackets behind it, where the message names that too. */
const variable = /(?<![\w.])([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)(?!\w)(?: \(([a-z][\w.[\]]*)\))?/g

/** The text with fields in place of the variables that are known. */
export function inFields(text: string, names: FieldNames): string {
  const withoutFiles = aboutFiles.reduce(
    (said, [expression, instead]) => said.replace(expression, instead),
    text,
  )
  return withoutFiles.replace(variable, (said, name: string, inBrackets?: string) => {
    const field = names.get(name) ?? names.get(name.replace(/_FILE$/, ''))
    if (field === undefined) return said
    const isNamed = inBrackets === undefined || field.endsWith(inBrackets)
    return isNamed ? field : said.replace(name, field)
  })
}
