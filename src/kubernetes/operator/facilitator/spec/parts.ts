import type { FacilitatorStatus } from '../../../crd/facilitator/status.ts'
import type { Facilitator } from '../../../crd/facilitator.ts'

export type PartName = NonNullable<FacilitatorStatus['parts']>[number]['name']

/** One of the services that a Facilitator is made of: a Deployment and what belongs to it. */
export interface Part {
  readonly name: PartName
  /** Suffix of the names of its objects, and component label of its pods. */
  readonly component: 'facilitator' | 'catalog' | 'explorer'
  /** The command of `svc` that its pods run. */
  readonly command: string
  readonly replicas: number
  readonly resources: Facilitator['spec']['resources']
}

/** The parts that the spec enables, the facilitator first. */
export function partsOf({ spec }: Facilitator): readonly [Part, ...Part[]] {
  const { catalog, explorer } = spec
  return [
    part('Facilitator', spec),
    ...(catalog.enabled ? [part('Catalog', catalog)] : []),
    ...(explorer.enabled ? [part('Explorer', explorer)] : []),
  ]
}

const components = {
  Facilitator: 'facilitator',
  Catalog: 'catalog',
  Explorer: 'explorer',
} as const satisfies Record<PartName, Part['component']>

const part = (
  name: PartName,
  { replicas, resources }: Pick<Part, 'replicas' | 'resources'>,
): Part => ({
  name,
  component: components[name],
  command: components[name],
  replicas,
  resources,
})
