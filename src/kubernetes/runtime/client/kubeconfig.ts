import { existsSync, readFileSync } from 'node:fs'
import { isIPv6 } from 'node:net'
import { delimiter, dirname, join, resolve } from 'node:path'
// Not the library as a whole, which takes 30 MB: this file alone knows the names of the fields.
import {
  type Cluster,
  type Context,
  newClusters,
  newContexts,
  newUsers,
  type User,
} from '@kubernetes/client-node/dist/config_types.js'
import { load } from 'js-yaml'

type Environment = Readonly<Record<string, string | undefined>>

export type KubeconfigChoice = {
  /** @default the file's current one */
  readonly context?: string | undefined
} & (
  | { readonly kubeconfig: string }
  | {
      /** A kubeconfig file. @default the KUBECONFIG variable, ~/.kube/config or the pod's service account, in that order */
      readonly kubeconfig?: string | undefined
      /** That of the process. */
      readonly env: Environment
      /** Folder of the pod's service account. @default where Kubernetes mounts it */
      readonly serviceAccount?: string
    }
)

/** A cluster, and who asks it. */
export interface ClusterAccess {
  readonly cluster: Cluster
  readonly user: User
  /** Of the context. */
  readonly namespace?: string | undefined
}

/** There is no kubeconfig, or it cannot be used; the message continues `KUBECONFIG`. */
export class KubeconfigUnusable extends Error {
  override readonly name = 'KubeconfigUnusable'
}

/** What one file or several have together. */
interface Entries {
  readonly clusters: readonly Cluster[]
  readonly users: readonly User[]
  readonly contexts: readonly Context[]
  readonly current: string | undefined
}

/** Where Kubernetes mounts it. */
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'

/** The cluster and the user of a context. Throws `KubeconfigUnusable`. */
export function loadKubeconfig(choice: KubeconfigChoice): ClusterAccess {
  const { kubeconfig, context: chosen } = choice
  const { env, serviceAccount } = 'env' in choice ? choice : { env: {} }
  const files = kubeconfig === undefined ? defaultFiles(env) : [kubeconfig]
  if (files.length === 0) return ofPod(env, serviceAccount)
  const { clusters, users, contexts, current } = entriesOf(files)
  const context = contexts.find(({ name }) => name === (chosen ?? current))
  if (chosen !== undefined && !context) {
    throw new KubeconfigUnusable(`names a file without the context ${chosen}`)
  }
  const cluster = clusters.find(({ name }) => name === context?.cluster)
  if (!cluster) throw new KubeconfigUnusable('names a file without a current cluster')
  const user = users.find(({ name }) => name === context?.user) ?? { name: '' }
  return { cluster, user, namespace: context?.namespace }
}

function defaultFiles(env: Environment): readonly string[] {
  const named = (env['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '')
  if (named.length > 0) return named
  const home = env['HOME'] ?? env['USERPROFILE']
  const own = home && join(home, '.kube', 'config')
  return own && existsSync(own) ? [own] : []
}

/** Of several entries with the same name the first one counts, as for kubectl. */
function entriesOf(files: readonly string[]): Entries {
  try {
    const read = files.map(entriesOfFile)
    return {
      clusters: read.flatMap(({ clusters }) => clusters),
      users: read.flatMap(({ users }) => users),
      contexts: read.flatMap(({ contexts }) => contexts),
      current: read.find(({ current }) => current)?.current,
    }
  } catch (cause) {
    const message = `names a file that cannot be read as a kubeconfig (${cause instanceof Error ? cause.message : String(cause)})`
    throw new KubeconfigUnusable(message, { cause })
  }
}

function entriesOfFile(file: string): Entries {
  const content = Object(load(readFileSync(file, 'utf8')))
  const folder = dirname(file)
  const at = <Name extends string>(names: readonly Name[], entry: Partial<Record<Name, string>>) =>
    Object.fromEntries(
      names.flatMap((name) => (entry[name] ? [[name, resolve(folder, entry[name])]] : [])),
    )
  return {
    clusters: newClusters(content.clusters).map((each) => ({ ...each, ...at(['caFile'], each) })),
    users: newUsers(content.users).map((each) => ({
      ...each,
      ...at(['certFile', 'keyFile'], each),
    })),
    contexts: newContexts(content.contexts),
    current: content['current-context'],
  }
}

/** The service account of the pod, whose files the kubelet renews. */
function ofPod(env: Environment, folder = SERVICE_ACCOUNT): ClusterAccess {
  const tokenFile = join(folder, 'token')
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port } = env
  if (!existsSync(tokenFile) || host === '') {
    throw new KubeconfigUnusable(
      'is required outside of a pod: the path of a kubeconfig file; there is none at ~/.kube/config either',
    )
  }
  const server = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`
  const namespaceFile = join(folder, 'namespace')
  return {
    cluster: { name: 'pod', server, skipTLSVerify: false, caFile: join(folder, 'ca.crt') },
    user: { name: 'pod', authProvider: { name: 'tokenFile', config: { tokenFile } } },
    namespace: existsSync(namespaceFile) ? readFileSync(namespaceFile, 'utf8') : undefined,
  }
}
