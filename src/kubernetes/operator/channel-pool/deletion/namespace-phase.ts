import type { KubeClient } from '../../../runtime/client/client.ts'
import { isKubeError } from '../../../runtime/client/kube-error.ts'
import type { ResourceType } from '../../../runtime/objects/resource.ts'
import type { AnyObject } from '../../../runtime/objects/well-known.ts'

/** `unknown`: the operator may not read the namespace. */
type NamespacePhase = 'Active' | 'Terminating' | 'unknown'

export interface NamespacePhases {
  read(namespace: string, signal: AbortSignal): Promise<NamespacePhase>
}

const type: ResourceType<AnyObject> = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
}

/** Asks the API server each time: only a deletion that cannot continue asks. */
export const createNamespacePhases = ({ get }: Pick<KubeClient, 'get'>): NamespacePhases => ({
  read: async (name, signal) => {
    try {
      const { status } = await get(type, { name }, { signal })
      return status?.['phase'] === 'Terminating' ? 'Terminating' : 'Active'
    } catch (error) {
      if (isKubeError(error, 'forbidden', 'notFound')) return 'unknown'
      throw error
    }
  },
})
