import type { NetworkPolicy, Pod, PolicyPort } from '../../e2e/support/policy/objects.ts'
import { type ClusterState, permits, rulesOf } from '../../e2e/support/policy/rules.ts'

interface PodParts {
  readonly namespace?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly ports?: Readonly<Record<string, number>>
}

/** Pods by name, at 10.244.0.1, .2 and so on; the namespaces have the label `project` with their own name. */
export class FakeNetwork {
  readonly #state: ClusterState
  readonly #addresses: Readonly<Record<string, string>>

  constructor(
    pods: Readonly<Record<string, PodParts>>,
    policies: readonly NetworkPolicy['spec'][],
    outsideOfBlocks: readonly string[] = [],
  ) {
    const entries = Object.entries(pods)
    this.#addresses = Object.fromEntries(
      entries.map(([name], index) => [name, `10.244.0.${index + 1}`]),
    )
    const namespaces = new Set(['default', ...entries.map(([, { namespace }]) => namespace)])
    this.#state = {
      pods: entries.map(([name, parts]) => ({
        pod: podOf(name, parts),
        address: this.#addresses[name] ?? '',
      })),
      policies: policies.map((spec, index) => ({
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata: metadata(`policy-${index}`, 'default'),
        spec,
      })),
      namespaces: new Map(
        [...namespaces].map((name = 'default') => [name, { project: name }] as const),
      ),
      outsideOfBlocks,
    }
  }

  get rules() {
    return rulesOf(this.#state)
  }

  /** @param from @param to a pod or an address */
  connects(from: string, to: string, port = 6_379, protocol = 'TCP'): boolean {
    const at = (name: string) => this.#addresses[name] ?? name
    return permits(this.rules, { from: at(from), to: at(to), port, protocol })
  }
}

const metadata = (name: string, namespace: string) => ({
  name,
  namespace,
  uid: name,
  resourceVersion: '1',
})

const podOf = (name: string, { namespace = 'default', labels, ports = {} }: PodParts): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { ...metadata(name, namespace), labels: labels ?? {} },
  spec: {
    containers: [
      {
        ports: Object.entries(ports).map(([portName, containerPort]) => ({
          name: portName,
          containerPort,
        })),
      },
    ],
  },
})

export const tcp = (port: number | string, endPort?: number): PolicyPort => ({
  protocol: 'TCP',
  port,
  ...(endPort !== undefined && { endPort }),
})
