import { readFile } from 'node:fs/promises'
import type { RequestOptions } from 'node:https'
import type { User } from '@kubernetes/client-node/dist/config_types.js'
import type { ClusterAccess } from './kubeconfig.ts'

/**
 * TLS, headers and the agent of a proxy, from the files as they are now. Loads the library, which takes 30 MB, for a program that
 * makes credentials, an identity provider or a proxy.
 */
export async function readCredentials(access: ClusterAccess): Promise<RequestOptions> {
  if (!isPlain(access)) return readWithLibrary(access)
  const { cluster, user } = access
  const { username, password, impersonateUser } = user
  const token = user.token ?? (await textOf(tokenFileOf(user)))
  const headers = {
    ...(token && { Authorization: `Bearer ${token}` }),
    ...(impersonateUser && { 'Impersonate-User': impersonateUser }),
  }
  return {
    headers,
    ...(cluster.skipTLSVerify && { rejectUnauthorized: false }),
    ...(cluster.tlsServerName && { servername: cluster.tlsServerName }),
    ...(await contentAs('ca', cluster.caFile, cluster.caData)),
    ...(await contentAs('cert', user.certFile, user.certData)),
    ...(await contentAs('key', user.keyFile, user.keyData)),
    ...(username && { auth: `${username}:${password}` }),
  }
}

/** The library refuses to send credentials without TLS, unless the kubeconfig does without it. */
const isPlain = ({ cluster, user }: ClusterAccess): boolean =>
  !user.exec &&
  (!user.authProvider || tokenFileOf(user) !== undefined) &&
  !cluster.proxyUrl &&
  (cluster.skipTLSVerify || !cluster.server.startsWith('http:'))

async function readWithLibrary({ cluster, user }: ClusterAccess): Promise<RequestOptions> {
  const { KubeConfig } = await import('@kubernetes/client-node')
  const config = new KubeConfig()
  config.loadFromClusterAndUser(cluster, user)
  const options: RequestOptions = {}
  await config.applyToHTTPSOptions(options)
  return options
}

const tokenFileOf = ({ authProvider }: User): string | undefined => authProvider?.config?.tokenFile

const textOf = async (file: string | undefined): Promise<string> =>
  file === undefined ? '' : (await readFile(file, 'utf8')).trim()

async function contentAs(
  name: 'ca' | 'cert' | 'key',
  file: string | undefined,
  data: string | undefined,
): Promise<RequestOptions> {
  if (file) return { [name]: await readFile(file) }
  return data ? { [name]: Buffer.from(data, 'base64') } : {}
}
