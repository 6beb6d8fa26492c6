/** Whether the text is a `postgres://` or `postgresql://` URL. */
export const isPostgresUrl = (text: string): boolean =>
  /^postgres(ql)?:\/\//.test(text) && URL.canParse(text)

/** Parameters that `pg` reads and that lift none of the limits which the caller sets. */
const harmless: ReadonlySet<string> = new Set([
  'application_name',
  'client_encoding',
  'host',
  'options',
  'password',
  'port',
  'ssl',
  'sslmode',
  'sslnegotiation',
  'uselibpqcompat',
  'user',
])
/** Parameters that name files. */
const ofFiles = ['sslrootcert', 'sslcert', 'sslkey'] as const
/** Parameters that name files to libpq, and that a later version of `pg` may read. */
const ofFilesElsewhere = ['sslcrl', 'sslcrldir', 'passfile', 'service', 'servicefile'] as const
/** For any other text `pg` throws from a listener. */
const valuesOfSsl: ReadonlySet<string> = new Set(['', 'true', '1', '0', 'no-verify'])
const limits = [
  'statement_timeout',
  'query_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
] as const

interface Tls {
  /** Whether a certificate authority is given beside the URL: then `pg` is given none of its parameters of TLS. */
  readonly hasCa: boolean
}

/**
 * Why `pg` would throw for a URL instead of connecting, to follow "a URL"; undefined when it does not. It names no value of the URL,
 * which is a secret.
 */
export function driverProblem(text: string, { hasCa }: Tls): string | undefined {
  const { searchParams } = new URL(text)
  const part = partNotDecoded(text)
  if (part !== undefined) {
    return ` with a ${part} that cannot be decoded: write each % in it as %25`
  }
  const last = (name: string) => searchParams.getAll(name).at(-1) ?? ''
  const port = last('port')
  if (port !== '' && !(Number.parseInt(port, 10) >= 0 && Number.parseInt(port, 10) < 65_536)) {
    return ' with a port that is no number from 0 to 65535: write it after the host'
  }
  const limit = limits.find((name) => !/^\d*$/.test(last(name)))
  if (limit !== undefined) return ` with a ${limit} that is no whole number of milliseconds`
  return hasCa ? undefined : tlsProblem(last)
}

/** The files that a process reads to connect to a URL, by parameter. */
export const filesOf = (text: string, { hasCa }: Tls): readonly (readonly [string, string])[] =>
  ofFiles
    .filter((name) => !(hasCa && name === 'sslrootcert'))
    .map((name) => [name, new URL(text).searchParams.getAll(name).at(-1) ?? ''] as const)
    .filter(([, path]) => path !== '')

function tlsProblem(last: (name: string) => string): string | undefined {
  const [ssl, sslmode, negotiation] = [last('ssl'), last('sslmode'), last('sslnegotiation')]
  const isModeGiven = sslmode !== '' || ofFiles.some((name) => last(name) !== '')
  if (!isModeGiven && !valuesOfSsl.has(ssl)) {
    return ' with an unknown value of ssl: leave it out, and write sslmode=disable or sslmode=verify-full'
  }
  if (!['', 'postgres', 'direct'].includes(negotiation)) {
    return ' with an unknown value of sslnegotiation: leave it out'
  }
  const isOff = isModeGiven ? sslmode === 'disable' : ssl === '0'
  if (negotiation === 'direct' && isOff) {
    return ' with sslnegotiation=direct and without TLS: leave one of them out'
  }
  const isCompatible = last('uselibpqcompat') === 'true'
  return isCompatible && sslmode === 'verify-ca' && last('sslrootcert') === ''
    ? ' with sslmode=verify-ca and no certificate authority: name one, or write sslmode=verify-full'
    : undefined
}

/** The parts that `pg` decodes, after it has encoded the whole URL where a blank or a percent sign of no code is in it. */
function partNotDecoded(text: string): string | undefined {
  const isEncoded = !/ |%[^a-f0-9]|%[a-f0-9][^a-f0-9]/i.test(text)
  const url = new URL(isEncoded ? text : encodeURI(text).replace(/%25(\d\d)/g, '%$1'))
  const { hostname } = new URL(text)
  const { username: user, password, pathname } = url
  const parts = { host: hostname, user, password, 'database name': pathname }
  return Object.entries(parts).find(([, part]) => decoded(part) === undefined)?.[0]
}

/**
 * Reads a database URL from an untrusted source, and returns the URL that `pg` may use: without parameters that lift time
 * limits or that `pg` does not know. `refused` says why `pg` may not use any of it, to follow "holds a URL".
 */
export function urlOfOthers(
  text: string,
  tls: Tls,
): { readonly url: string } | { readonly refused: string } {
  const url = new URL(text)
  const { searchParams } = url
  const file = [...ofFiles, ...ofFilesElsewhere].find((name) => searchParams.has(name))
  if (file !== undefined) {
    return {
      refused: ` with ${file}, a file of the operator: leave it out, and name a certificate authority in caSecretRef`,
    }
  }
  const hosts = [...searchParams.getAll('host'), decoded(url.hostname) ?? '']
  if (hosts.some((host) => host.startsWith('/'))) {
    return { refused: ' of a socket, a file of the operator: name a host' }
  }
  for (const name of [...searchParams.keys()]) if (!harmless.has(name)) searchParams.delete(name)
  const given = url.search === new URL(text).search ? text : url.href
  const refused = driverProblem(given, tls)
  return refused === undefined ? { url: given } : { refused }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/**
 * Advice for a text that starts as such a URL and cannot be read as one, to follow "holds no postgres:// URL"; empty for any
 * other text. It repeats no character of the text, which is a secret.
 */
export const hintFor = (text: string): string =>
  /^postgres(ql)?:\/\//.test(text) && !URL.canParse(text)
    ? ' that can be read: write @ : / ? # % of its password as %40 %3A %2F %3F %23 %25'
    : ''
