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
const ofFiles = ['sslrootcert', 'sslcert', 'sslkey'] as const
/** For any other text `pg` throws from a listener. */
const valuesOfSsl: ReadonlySet<string> = new Set(['true', '1', '0', 'no-verify'])

/**
 * Of the URL of a database that somebody else chose, what `pg` may be given: without parameters that lift time limits or mean nothing to it.
 * `refused` says why it may be given nothing of it, to follow "holds a URL".
 */
export function urlOfOthers(text: string): { readonly url: string } | { readonly refused: string } {
  const url = new URL(text)
  const { searchParams } = url
  const file = ofFiles.find((name) => searchParams.has(name))
  if (file !== undefined) {
    return {
      refused: ` with ${file}, a file of the operator: leave it out, and name a certificate authority in caSecretRef`,
    }
  }
  const hostname = decoded(url.hostname)
  if (hostname === undefined) return { refused: ' with a host that cannot be decoded' }
  const hosts = [...searchParams.getAll('host'), hostname]
  if (hosts.some((host) => host.startsWith('/'))) {
    return { refused: ' of a socket, a file of the operator: name a host' }
  }
  if (searchParams.getAll('ssl').some((value) => !valuesOfSsl.has(value))) {
    return { refused: ' with an unknown value of ssl: leave it out, and write sslmode' }
  }
  if (url.search === '') return { url: text }
  for (const name of [...searchParams.keys()]) if (!harmless.has(name)) searchParams.delete(name)
  return { url: url.href }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/**
 * What to write in a text that starts as such a URL and cannot be read as one, to follow "holds no postgres:// URL"; empty for any other
 * text. It names no character of the text, which is a secret.
 */
export const hintFor = (text: string): string =>
  /^postgres(ql)?:\/\//.test(text) && !URL.canParse(text)
    ? ' that can be read: write @ : / ? # % of its password as %40 %3A %2F %3F %23 %25'
    : ''
