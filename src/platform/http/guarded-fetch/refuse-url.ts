import { isIP } from 'node:net'
import { isPublicAddress } from './public-address.ts'

/**
 * Why no request may go to a URL, in one sentence, as far as the URL itself tells: the addresses of a name are vetted
 * when it is dialled. Undefined for a URL that may be tried.
 */
export function refuseUrl(url: URL, allowLoopback: boolean): string | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return `The protocol ${url.protocol} is neither https nor http.`
  }
  if (url.username !== '' || url.password !== '')
    return 'The URL contains a user name or a password.'
  if (!isHttpPort(url.port)) return `Port ${url.port} belongs to another protocol than HTTP.`
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) === 0) {
    return isPublicName(host, allowLoopback) ? undefined : `${host} is not a public name.`
  }
  return isPublicAddress(host, allowLoopback) ? undefined : `${host} is not a public address.`
}

/**
 * A server of another protocol could take the bytes of a request for its own commands. Those protocols have ports
 * under 1024, and the ports above that browsers refuse: https://fetch.spec.whatwg.org/#port-blocking.
 */
function isHttpPort(port: string): boolean {
  if (port === '' || port === '80' || port === '443') return true
  return Number(port) >= 1024 && !blockedPorts.has(Number(port))
}

const blockedPorts = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669,
  6679, 6697, 10080,
])

/** A name of a private network is not even looked up: the answer would tell a stranger which of them exist. */
function isPublicName(host: string, allowLoopback: boolean): boolean {
  const labels = host.replace(/\.$/, '').split('.')
  const last = labels.at(-1) ?? ''
  if (last === 'localhost') return allowLoopback
  return (
    labels.length > 1 && !privateNames.has(last) && !host.replace(/\.$/, '').endsWith('.home.arpa')
  )
}

/** Never delegated in the public name system: RFC 6761, RFC 6762, RFC 8375, and what ICANN reserves or blocks. */
const privateNames = new Set([
  'local',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'mail',
  'onion',
  'invalid',
  'test',
])
