/**
 * One accepted API key, as an administrator configures it: the SHA-256 digest of the key, and optionally a name for people
 * and the time in which it is valid, so that an old and a new key of a caller overlap:
 *
 *     <64 hex digits>[;name=<name>][;from=<time>][;until=<time>]
 */
export interface ApiKeyEntry {
  /** SHA-256 of the key, 64 lower-case hex digits. */
  readonly digest: string
  /** For people; two keys may have the same one. */
  readonly name?: string
  /** Valid from this time on, in milliseconds since the Unix epoch. @default always */
  readonly from?: number
  /** Valid until just before this time, likewise. @default for ever */
  readonly until?: number
}

/** `problem` never repeats the text: it may be a key that was taken for a digest. */
export type ParsedApiKeys =
  | { readonly ok: true; readonly entries: readonly ApiKeyEntry[] }
  | { readonly ok: false; readonly problem: string }

type Parsed<Value> = { readonly value: Value } | { readonly problem: string }

/** Reads entries with commas or white space between them; blank text has none. Equal ones are one. */
export function parseApiKeys(text: string): ParsedApiKeys {
  if (text.trim() === '') return { ok: true, entries: [] }
  const texts = text.split(/[\s,]+/).filter((each) => each !== '')
  if (texts.length === 0) return { ok: false, problem: 'there is no digest' }
  const entries = new Map<string, ApiKeyEntry>()
  for (const [at, each] of texts.entries()) {
    const parsed = parseEntry(each)
    if ('problem' in parsed) return { ok: false, problem: `entry ${at + 1} ${parsed.problem}` }
    const entry = parsed.value
    const same = entries.get(entry.digest)
    // With two times of validity it would be unclear whether the key has ended.
    if (same && !isEqual(same, entry)) {
      return {
        ok: false,
        problem: `entry ${at + 1} has the digest of another, and differs from it`,
      }
    }
    entries.set(entry.digest, entry)
  }
  return { ok: true, entries: [...entries.values()] }
}

/** The text of an entry, as `parseApiKeys` reads it. */
export const apiKeyEntryText = ({ digest, name, from, until }: ApiKeyEntry): string =>
  [
    digest,
    ...(name === undefined ? [] : [`name=${name}`]),
    ...(from === undefined ? [] : [`from=${textOfTime(from)}`]),
    ...(until === undefined ? [] : [`until=${textOfTime(until)}`]),
  ].join(';')

/** Whether a key is accepted at a time, and if not, why. */
export type ApiKeyState = 'valid' | 'notYet' | 'ended'

export function stateOfApiKey({ from, until }: ApiKeyEntry, now: number): ApiKeyState {
  if (from !== undefined && now < from) return 'notYet'
  return until !== undefined && now >= until ? 'ended' : 'valid'
}

/** Enough to tell keys apart; `/usage` shows as many. */
const SUBJECT_DIGITS = 16

/** The name of the caller with a key, in usage, limits and settlements. @param digest in hex */
export const apiKeySubject = (digest: string): string => `key:${digest.slice(0, SUBJECT_DIGITS)}`

/** A problem continues `entry 2`. */
function parseEntry(text: string): Parsed<ApiKeyEntry> {
  const [digest = '', ...attributes] = text.split(';')
  if (!/^[0-9a-f]{64}$/i.test(digest)) return { problem: 'is not a SHA-256 digest' }
  const entry: { digest: string; name?: string; from?: number; until?: number } = {
    digest: digest.toLowerCase(),
  }
  for (const attribute of attributes) {
    const [, name = '', value = ''] = /^(\w+)=(.*)$/s.exec(attribute) ?? []
    if (name !== 'name' && name !== 'from' && name !== 'until') {
      return { problem: 'may have only name=, from= and until= after its digest' }
    }
    if (entry[name] !== undefined) return { problem: `has ${name} twice` }
    const parsed = name === 'name' ? parseApiKeyName(value) : parseApiKeyTime(value)
    if ('problem' in parsed) return { problem: `has an invalid ${name}: ${parsed.problem}` }
    Object.assign(entry, { [name]: parsed.value })
  }
  const { from, until } = entry
  if (from !== undefined && until !== undefined && until <= from) {
    return { problem: 'has an until that is not after its from' }
  }
  return { value: entry }
}

/** A problem continues `the name is`. */
export const parseApiKeyName = (text: string): Parsed<string> =>
  /^[A-Za-z0-9._-]{1,64}$/.test(text)
    ? { value: text }
    : { problem: 'not 1 to 64 letters, digits, dots, hyphens and underscores' }

const TIME =
  /^(?<date>\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/

/** Unix milliseconds; the text must name its time zone. A problem continues `the time is`. */
export function parseApiKeyTime(text: string): Parsed<number> {
  const date = TIME.exec(text)?.groups?.['date']
  const isDay = date !== undefined && textOfTime(Date.parse(date)).startsWith(date)
  return isDay
    ? { value: Date.parse(text) }
    : { problem: 'not a time such as 2026-12-01T00:00:00Z' }
}

const textOfTime = (milliseconds: number): string =>
  Number.isNaN(milliseconds) ? '' : new Date(milliseconds).toISOString().replace('.000Z', 'Z')

const isEqual = (one: ApiKeyEntry, other: ApiKeyEntry): boolean =>
  one.name === other.name && one.from === other.from && one.until === other.until
