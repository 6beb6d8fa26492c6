/** Reads where a key lies from one line of text; `docs/signers.md` describes the forms. */
import { isAbsolute } from 'node:path'
import type { HttpPlace, Pkcs11Place, SignerPlace, VaultPlace } from './signer-place.ts'

/** The forms, for help and messages. */
export const SIGNER_FORMS =
  'a URI that begins with pkcs11:, vault+https://, https:// or unix:, as docs/signers.md describes'

/** A form that is wrong; the message continues "must ". */
class WrongPlace extends Error {}

/** The place, or what is wrong with the text, to continue "TESTNET_SPONSOR_SIGNER ". Never repeats the text. */
export function parsePlace(
  text: string,
): { readonly place: SignerPlace } | { readonly problem: string } {
  try {
    return { place: placeOf(text) }
  } catch (error) {
    if (!(error instanceof WrongPlace)) throw error
    return { problem: `must ${error.message}` }
  }
}

function placeOf(text: string): SignerPlace {
  if (text.startsWith('pkcs11:')) return pkcs11(text.slice('pkcs11:'.length))
  if (text.startsWith('unix:')) {
    return { kind: 'http', endpoint: { socketPath: absolute(text.slice('unix:'.length), 'unix:') } }
  }
  if (text.startsWith('vault+')) return vault(text.slice('vault+'.length))
  if (text.startsWith('https://')) return http(text)
  throw new WrongPlace(`be ${SIGNER_FORMS}`)
}

/** RFC 7512: attributes of the path have a semicolon between them, those of the query an ampersand. */
function pkcs11(rest: string): Pkcs11Place {
  const [path = '', query = ''] = rest.split('?')
  const attributes = new Attributes([
    ...path.split(';').map(attribute),
    ...query.split('&').map(attribute),
  ])
  const place: Pkcs11Place = {
    kind: 'pkcs11',
    token: attributes.take('token'),
    key: attributes.take('object'),
    modulePath: absolute(attributes.take('module-path'), 'module-path'),
    pinFile: absolute(attributes.take('pin-source').replace(/^file:/, ''), 'pin-source'),
  }
  attributes.refuseOthers()
  return place
}

function vault(address: string): VaultPlace {
  const { url, attributes } = urlOf(address)
  const steps = url.pathname.split('/').filter(Boolean).map(decoded)
  const key = steps.at(-1)
  // `.` and `..` would name another path of Vault's API.
  if (steps.length < 2 || key === undefined || steps.some((step) => /^\.{1,2}$|\//.test(step))) {
    throw new WrongPlace(
      'name the mount of the transit engine and the key: vault+https://HOST/transit/KEY',
    )
  }
  const version = attributes.find('version')
  if (version !== undefined && !/^[1-9]\d{0,8}$/.test(version)) {
    throw new WrongPlace('have a whole number as version')
  }
  const tokenFile = attributes.find('token-file')
  const place: VaultPlace = {
    kind: 'vault',
    address: url.origin,
    caFile: optionalPath(attributes, 'ca'),
    mount: steps.slice(0, -1).join('/'),
    key,
    version: version === undefined ? undefined : Number(version),
    namespace: attributes.find('namespace'),
    login:
      tokenFile === undefined
        ? {
            kind: 'kubernetes',
            mount: attributes.find('auth') ?? 'kubernetes',
            role: attributes.take('role'),
            jwtFile: absolute(
              attributes.find('jwt') ?? '/var/run/secrets/kubernetes.io/serviceaccount/token',
              'jwt',
            ),
          }
        : { kind: 'token', tokenFile: absolute(tokenFile, 'token-file') },
  }
  attributes.refuseOthers()
  return place
}

function http(text: string): HttpPlace {
  const { url, attributes } = urlOf(text)
  const place: HttpPlace = {
    kind: 'http',
    endpoint: {
      url: `${url.origin}${url.pathname}`.replace(/\/$/, ''),
      caFile: absolute(attributes.take('ca'), 'ca'),
      certFile: absolute(attributes.take('cert'), 'cert'),
      keyFile: absolute(attributes.take('key'), 'key'),
    },
  }
  attributes.refuseOthers()
  return place
}

const LOOPBACK = /^http:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?\//

function urlOf(text: string): { readonly url: URL; readonly attributes: Attributes } {
  const [address = '', query = ''] = text.split('?')
  if (!URL.canParse(address)) throw new WrongPlace('hold a valid URL')
  const url = new URL(address)
  if (url.protocol !== 'https:' && !LOOPBACK.test(url.href)) {
    throw new WrongPlace('use https, or http to this machine alone')
  }
  if (url.username || url.password) throw new WrongPlace('hold no user name and no password')
  return { url, attributes: new Attributes(query.split('&').map(attribute)) }
}

function attribute(text: string): readonly [string, string] {
  const at = text.indexOf('=')
  return at < 0 ? [text, ''] : [text.slice(0, at), decoded(text.slice(at + 1))]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new WrongPlace('hold valid percent-encoding')
  }
}

const optionalPath = (attributes: Attributes, name: string): string | undefined => {
  const path = attributes.find(name)
  return path === undefined ? undefined : absolute(path, name)
}

function absolute(path: string, name: string): string {
  if (isAbsolute(path)) return path
  throw new WrongPlace(`have an absolute path after ${name}`)
}

/** Attributes of a URI, each of which is read once. */
class Attributes {
  readonly #left: Map<string, string>

  constructor(pairs: readonly (readonly [string, string])[]) {
    const named = pairs.filter(([name]) => name !== '')
    this.#left = new Map(named)
    if (this.#left.size < named.length) throw new WrongPlace('name each attribute once')
  }

  find(name: string): string | undefined {
    const value = this.#left.get(name)
    this.#left.delete(name)
    return value === '' ? undefined : value
  }

  take(name: string): string {
    const value = this.find(name)
    if (value === undefined) throw new WrongPlace(`have the attribute ${name}`)
    return value
  }

  refuseOthers(): void {
    const [other] = this.#left.keys()
    if (other !== undefined) throw new WrongPlace(`have no attribute ${other}`)
  }
}
