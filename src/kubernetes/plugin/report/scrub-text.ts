/*
 * Removes from a text what looks like a secret: by its form, since the report reads no Secret to compare with. A pod writes what it likes
 * into its log, which may be one line of 2 MiB: the time of no expression grows faster than the text.
 */

export const REDACTED = '[redacted]'

/** A key or seed of Stellar: S and 55 more characters of base32. */
const SEED = /S[A-Z2-7]{55}/g

/** Connection strings: a password may hold any character, and everything behind may belong to it. */
const DATABASE_URL = /\bpostgres(?:ql)?(?::\/\/|%3A%2F%2F)\S+/gi

/** Any other address: a user, a path and a query may all hold a key. The host is worth its risk. */
const ADDRESS = /([a-z][a-z0-9+.-]{0,31}):\/\/([^\s"'<>`]+)/gi
const ENCODED_ADDRESS = /[a-z][a-z0-9+.-]{0,31}%3A%2F%2F\S+/gi

const HEADER =
  /\b(authorization|proxy-authorization|x-api-key|cookie|set-cookie)(["']?\s*[:=]\s*["']?)[^\r\n"']+/gi
const SCHEME = /\b(bearer|basic|digest)\s+[^\s"',;]+/gi

/** `password=…`, `"apiKey": "…"`, `--token …`. */
const PASSWORD = /((?:pass(?:word|wd|phrase)?|pwd)["']?\s*[:=]\s*["']?)([^\s"',;&]+)/gi
const NAMED =
  /((?:secret|token|api[-_]?key|access[-_]?key|private[-_]?key|credentials?|seed|digest|sha256)["']?\s*[:=]\s*["']?)([^\s"',;&]+)/gi
const FLAG = /(-[\w-]{0,63}(?:pass|secret|token|key|credential|seed)[\w-]{0,63}[ =])(\S+)/gi
/** A key that `svc keys new` made, if it has a capital letter: names of metrics have none. */
const API_KEY = /svc_[\w-]{20,}/g

/** A text that may be a key: long, without a space, and neither a word nor a name. */
const TOKEN = /[A-Za-z0-9+/_=%~.-]{20,}/g

/**
 * The text without seeds, connection strings, paths of addresses, values of members with a telling name, headers
 * with credentials, and long random words. Public: addresses of accounts and contracts, names of objects, uids.
 * @param keepsHashes whether 64 hexadecimal digits are a transaction, and not the digest of an API key
 */
export const scrubText = (text: string, { keepsHashes = false } = {}): string =>
  text
    .replace(SEED, REDACTED)
    .replace(DATABASE_URL, `postgres://${REDACTED}`)
    .replace(ENCODED_ADDRESS, REDACTED)
    .replace(ADDRESS, addressWithoutPath)
    .replace(HEADER, `$1$2${REDACTED}`)
    .replace(SCHEME, `$1 ${REDACTED}`)
    .replace(API_KEY, (key) => (/[A-Z]/.test(key) ? REDACTED : key))
    .replace(PASSWORD, `$1${REDACTED}`)
    .replace(NAMED, withoutValue)
    .replace(FLAG, withoutValue)
    .replace(TOKEN, (token) => (isPublic(token, keepsHashes) ? token : REDACTED))

function addressWithoutPath(_: string, scheme: string, rest: string): string {
  const host = rest.slice(rest.lastIndexOf('@') + 1)
  const [authority = ''] = host.split(/[/?#\\]/)
  const isWhole = authority === rest || `${authority}/` === rest
  const shown = /^[\w.:[\]-]+$/.test(authority) ? authority : ''
  return isWhole && shown ? `${scheme}://${rest}` : `${scheme}://${shown}/${REDACTED}`
}

const withoutValue = (whole: string, name: string, value: string): string =>
  /: $/.test(name) && PROSE.test(value) ? whole : HARMLESS.test(value) ? whole : name + REDACTED

/** "There is no Secret: create it". */
const PROSE = /^[a-z]{1,12}$/
/** A member with a telling name may hold a setting. */
const HARMLESS = /^(true|false|null|none|undefined|\d{1,6}|\[redacted\])[)\]}.]*$/i

const HASH = /^[0-9a-f]{64}$/
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** `G...`, `C...`, `M...`: accounts and contracts. */
const ACCOUNT = /^([GC][A-Z2-7]{55}|M[A-Z2-7]{68})$/
const TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z?$/
/** Names of objects, images, labels, metrics and reasons: words and numbers with separators. */
const SEPARATORS = /[-_./=%~+]/

function isPublic(token: string, keepsHashes: boolean): boolean {
  if (HASH.test(token)) return keepsHashes
  if (ACCOUNT.test(token) || UUID.test(token) || TIME.test(token)) return true
  return token.split(SEPARATORS).every(isWordLike)
}

/** Letters of one case, or CamelCase of words, or a number, or one of the short random parts of a pod's name. */
const isWordLike = (part: string): boolean =>
  part === '' ||
  /^\d{1,20}$/.test(part) ||
  /^[a-z]{1,30}$/.test(part) ||
  /^[A-Z]{1,24}$/.test(part) ||
  /^v?\d+[a-z]{1,8}\d*$/.test(part) ||
  /^[a-z]{1,24}\d{1,5}$/.test(part) ||
  /^([A-Z]?[a-z]+)([A-Z][a-z]+|[A-Z]{2,4}|\d{1,3}){1,6}$/.test(part) ||
  /^[a-z0-9]{1,10}$/.test(part)
