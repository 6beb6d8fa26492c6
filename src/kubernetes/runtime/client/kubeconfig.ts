import { KubeConfig } from '@kubernetes/client-node'

export interface KubeconfigChoice {
  /** A kubeconfig file. @default the KUBECONFIG variable, ~/.kube/config or the pod's service account, in that order */
  readonly kubeconfig?: string | undefined
  /** @default the file's current one */
  readonly context?: string | undefined
}

/** There is no kubeconfig, or it cannot be used; the message continues `KUBECONFIG`. */
export class KubeconfigUnusable extends Error {
  override readonly name = 'KubeconfigUnusable'
}

/** The library's fallback when it finds no kubeconfig and is in no pod. */
const NO_CLUSTER = 'http://localhost:8080'

/** A kubeconfig with a current cluster. Throws `KubeconfigUnusable`. */
export function loadKubeconfig({ kubeconfig, context }: KubeconfigChoice): KubeConfig {
  const config = read(kubeconfig)
  if (context !== undefined) {
    if (!config.getContextObject(context)) {
      throw new KubeconfigUnusable(`names a file without the context ${context}`)
    }
    config.setCurrentContext(context)
  }
  const cluster = config.getCurrentCluster()
  if (!cluster) throw new KubeconfigUnusable('names a file without a current cluster')
  if (kubeconfig === undefined && cluster.server === NO_CLUSTER) {
    throw new KubeconfigUnusable(
      'is required outside of a pod: the path of a kubeconfig file; there is none at ~/.kube/config either',
    )
  }
  return config
}

function read(kubeconfig: string | undefined): KubeConfig {
  const config = new KubeConfig()
  try {
    if (kubeconfig === undefined) config.loadFromDefault()
    else config.loadFromFile(kubeconfig)
    return config
  } catch (cause) {
    const message = `names a file that cannot be read as a kubeconfig (${cause instanceof Error ? cause.message : String(cause)})`
    throw new KubeconfigUnusable(message, { cause })
  }
}
