import type { SignerPlace } from '../../../signing/signer-place.ts'
import type { SecretKey } from '../../crd/fields/fields.ts'
import { type SignerFile, type SponsorSource, signerFiles } from './sponsor-source.ts'

interface Files {
  /** The path of the file with the value of a Secret. */
  readonly pathOf: (ref: SecretKey) => string
  /** The path of the service account token for Vault. */
  readonly jwtFile: string
}

/** The place of a sponsor's key, for a process with these files; undefined with a seed. */
export function signerPlace(
  source: SponsorSource,
  { pathOf, jwtFile }: Files,
): SignerPlace | undefined {
  const { pkcs11, vault, http } = source
  const files = signerFiles(source)
  const fileOf = (suffix: SignerFile['suffix']): string | undefined => {
    const file = files.find((each) => each.suffix === suffix)
    return file && pathOf(file.ref)
  }
  if (pkcs11) {
    const { modulePath, token, key } = pkcs11
    return { kind: 'pkcs11', modulePath, token, key, pinFile: fileOf('pin') ?? '' }
  }
  if (vault) {
    const { address, mount, key, keyVersion, namespace, role, authMount } = vault
    return {
      kind: 'vault',
      address,
      caFile: fileOf('ca.crt'),
      mount,
      key,
      version: keyVersion,
      namespace,
      login: { kind: 'kubernetes', mount: authMount, role, jwtFile },
    }
  }
  if (http?.socketPath !== undefined) {
    return { kind: 'http', endpoint: { socketPath: http.socketPath } }
  }
  if (http?.url === undefined) return undefined
  const { url } = http
  const [caFile = '', certFile = '', keyFile = ''] = [
    fileOf('ca.crt'),
    fileOf('tls.crt'),
    fileOf('tls.key'),
  ]
  return { kind: 'http', endpoint: { url, caFile, certFile, keyFile } }
}

/** The URI of the variable `SPONSOR_SIGNER` of the service. */
export function signerUri(place: SignerPlace): string {
  if (place.kind === 'pkcs11') {
    const { token, key, modulePath, pinFile } = place
    const query = queryOf({ 'module-path': modulePath, 'pin-source': pinFile })
    return `pkcs11:token=${encoded(token)};object=${encoded(key)}?${query}`
  }
  if (place.kind === 'vault') {
    const { address, mount, key, version, namespace, caFile: ca, login } = place
    const path = [...mount.split('/'), key].map(encoded).join('/')
    const how =
      login.kind === 'token'
        ? { token: login.tokenFile }
        : { role: login.role, auth: login.mount, jwt: login.jwtFile }
    const query = queryOf({ version: version?.toString(), namespace, ca, ...how })
    return `vault+${address}/${path}?${query}`
  }
  const { endpoint } = place
  if ('socketPath' in endpoint) return `unix:${encodedPath(endpoint.socketPath)}`
  const { url, caFile: ca, certFile: cert, keyFile: key } = endpoint
  return `${url}?${queryOf({ ca, cert, key })}`
}

/** Unlike encodeURIComponent, which leaves these: RFC 7512 reserves none of them, but a shell and a human may. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** A slash needs no encoding in a query, and paths are easier to read with it. */
const encodedPath = (text: string): string => text.split('/').map(encoded).join('/')

const queryOf = (parts: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(parts)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodedPath(value)}`]))
    .join('&')
