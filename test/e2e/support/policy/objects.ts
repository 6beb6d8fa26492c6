import type {
  KubeObject,
  ResourceType,
} from '../../../../src/kubernetes/runtime/objects/resource.ts'

/* What the enforcer reads of the objects of the cluster. */

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>
  readonly matchExpressions?: readonly {
    readonly key: string
    readonly operator: string
    readonly values?: readonly string[]
  }[]
}

export interface PolicyPeer {
  readonly podSelector?: LabelSelector
  readonly namespaceSelector?: LabelSelector
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] }
}

export interface PolicyPort {
  readonly protocol?: string
  readonly port?: number | string
  readonly endPort?: number
}

export interface NetworkPolicy extends KubeObject {
  readonly spec: {
    readonly podSelector?: LabelSelector
    readonly policyTypes?: readonly string[]
    readonly ingress?: readonly {
      readonly from?: readonly PolicyPeer[]
      readonly ports?: readonly PolicyPort[]
    }[]
    readonly egress?: readonly {
      readonly to?: readonly PolicyPeer[]
      readonly ports?: readonly PolicyPort[]
    }[]
  }
}

interface Container {
  readonly ports?: readonly {
    readonly name?: string
    readonly containerPort: number
    readonly protocol?: string
  }[]
}

export interface Pod extends KubeObject {
  readonly spec: {
    readonly hostNetwork?: boolean
    readonly containers: readonly Container[]
    readonly initContainers?: readonly Container[]
  }
  readonly status?: { readonly phase?: string; readonly podIP?: string }
}

const core = { group: '', version: 'v1' } as const

export const podType: ResourceType<Pod> = {
  ...core,
  plural: 'pods',
  kind: 'Pod',
  namespaced: true,
}

export const namespaceType: ResourceType = {
  ...core,
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
}

export const policyType: ResourceType<NetworkPolicy> = {
  group: 'networking.k8s.io',
  version: 'v1',
  plural: 'networkpolicies',
  kind: 'NetworkPolicy',
  namespaced: true,
}

/** Whether the labels match; an empty selector matches everything. Throws a TypeError for an operator that it does not know. */
export function matches(selector: LabelSelector, labels: Readonly<Record<string, string>> = {}) {
  const { matchLabels = {}, matchExpressions = [] } = selector
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key]
      if (operator === 'Exists') return value !== undefined
      if (operator === 'DoesNotExist') return value === undefined
      if (operator === 'In') return value !== undefined && values.includes(value)
      if (operator === 'NotIn') return value === undefined || !values.includes(value)
      throw new TypeError(`A label selector has the unknown operator ${operator}.`)
    })
  )
}
