/**
 * What the pod discovery of Prometheus finds, from the real Pod objects: that of Debian is built without it. For pods
 * whose containers run on this machine the address is that of the process.
 */
import type { Cluster } from '../../cluster/support/cluster.ts'
import type { ScrapeJob } from './scrape-config.ts'

interface Pod {
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly uid: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly spec: {
    readonly nodeName?: string
    readonly containers: readonly {
      readonly name: string
      readonly image: string
      readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[]
    }[]
  }
  readonly status: { readonly phase: string; readonly podIP?: string }
}

/** Where the process of a component listens, by the label `app.kubernetes.io/component`; or the pods' own addresses. */
type Addresses = Readonly<Record<string, string>> | 'of the pods'

/** The jobs with a static list of targets in place of the discovery; their relabeling is the generated one. */
export async function withDiscovered(
  cluster: Cluster,
  jobs: readonly ScrapeJob[],
  addresses: Addresses,
): Promise<readonly ScrapeJob[]> {
  return Promise.all(
    jobs.map(async ({ kubernetes_sd_configs: discoveries = [], ...job }) => {
      const targets = []
      for (const discovery of discoveries) {
        const { role, namespaces } = Object(discovery)
        if (role !== 'pod') throw new Error(`the job ${job.job_name} discovers ${role}`)
        for (const namespace of namespaces.names) {
          const { body } = await cluster.request('GET', `/api/v1/namespaces/${namespace}/pods`)
          targets.push(...(Object(body)['items'] as Pod[]).flatMap((pod) => ofPod(pod, addresses)))
        }
      }
      return { ...job, static_configs: targets }
    }),
  )
}

/** One target a port. With addresses of processes, one pod a component runs. */
function ofPod({ metadata, spec, status }: Pod, addresses: Addresses): readonly object[] {
  const component = metadata.labels?.['app.kubernetes.io/component'] ?? ''
  const isReal = addresses === 'of the pods'
  const process = isReal ? undefined : addresses[component]
  if ((!isReal && process === undefined) || status.phase !== 'Running') return []
  const addressOf = (name: string, port: number) =>
    isReal ? `${status.podIP}:${port}` : name === 'admin' ? process : '127.0.0.1:1'
  return spec.containers.flatMap((container) =>
    (container.ports ?? []).map(({ name = '', containerPort }) => ({
      targets: [addressOf(name, containerPort)],
      labels: {
        __meta_kubernetes_namespace: metadata.namespace,
        __meta_kubernetes_pod_name: metadata.name,
        __meta_kubernetes_pod_uid: metadata.uid,
        __meta_kubernetes_pod_phase: status.phase,
        __meta_kubernetes_pod_ready: 'true',
        __meta_kubernetes_pod_node_name: spec.nodeName ?? '',
        __meta_kubernetes_pod_container_name: container.name,
        __meta_kubernetes_pod_container_image: container.image,
        __meta_kubernetes_pod_container_port_name: name,
        __meta_kubernetes_pod_container_port_number: String(containerPort),
        __meta_kubernetes_pod_container_port_protocol: 'TCP',
        ...metaOf('label', metadata.labels),
        ...metaOf('annotation', metadata.annotations),
      },
    })),
  )
}

const metaOf = (kind: string, values: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const safe = name.replaceAll(/[^a-zA-Z0-9_]/g, '_')
      return [
        [`__meta_kubernetes_pod_${kind}_${safe}`, value],
        [`__meta_kubernetes_pod_${kind}present_${safe}`, 'true'],
      ]
    }),
  )
