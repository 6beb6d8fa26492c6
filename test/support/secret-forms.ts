import { createHash } from 'node:crypto'

const algorithms = ['sha256', 'sha1', 'md5', 'sha512'] as const
const encodings = ['hex', 'base64', 'base64url'] as const

const digestsOf = (text: string): readonly string[] =>
  algorithms.flatMap((algorithm) =>
    encodings.map((encoding) => createHash(algorithm).update(text).digest(encoding)),
  )

/** The text as JSON has it: alone, and as a member under each of the names. */
const jsonOf = (text: string, names: readonly string[]): readonly string[] => [
  JSON.stringify(text),
  JSON.stringify([text]),
  ...names.map((name) => JSON.stringify({ [name]: text })),
]

/**
 * Everything that a public text may have of a secret and from which the secret can be read, or a guess tested: the value, its encodings, its
 * digests, and digests of such digests.
 * @param names of members under which code may put the value
 */
function secretForms(value: string, names: readonly string[] = []): readonly string[] {
  const texts = [value, `${value}\n`, ...jsonOf(value, names)]
  const digests = texts.flatMap(digestsOf)
  const nested = digestsOf(JSON.stringify(value)).flatMap((digest) =>
    [digest, ...jsonOf(digest, names)].flatMap(digestsOf),
  )
  const forms = [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
    Buffer.from(value).toString('base64').replace(/=+$/, ''),
    ...digests.map((digest) => digest.replace(/=+$/, '')),
    ...nested.map((digest) => digest.replace(/=+$/, '')),
  ]
  return [...new Set(forms)]
}

/** The secrets of which a text has something, with what it has: forms, or the first digits of digests as names have them. */
export function leaksIn(
  text: string,
  secrets: Readonly<Record<string, string>>,
  names: readonly string[] = [],
): readonly string[] {
  return Object.entries(secrets).flatMap(([secret, value]) =>
    secretForms(value, names)
      .filter((form) => text.includes(form) || isNamedBy(text, form))
      .map((form) => `${secret}: ${form}`),
  )
}

/** Names of objects end with eight digits of a digest: enough to test guesses. */
const isNamedBy = (text: string, form: string): boolean =>
  /^[0-9a-f]{32,}$/.test(form) && text.includes(`-${form.slice(0, 8)}`)
