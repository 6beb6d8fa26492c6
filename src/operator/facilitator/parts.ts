import type { Facilitator } from '../../api/facilitator.ts'
import type { FacilitatorStatus } from '../../api/facilitator-status.ts'

export type PartName = NonNullable<FacilitatorStatus['parts']>[number]['name']

/** One of the services that a Facilitator is made of: a Deployment and what belongs to it. */
export interface Part {
  readonly name: PartName
  /** Ends the names of its objects, and is its pods' component label. */
  readonly component: 'facilitator' | 'catalog' | 'explorer'
  /** The command of `svc` that its pods run. */
  readonly command: string
  readonly replicas: number
  readonly resources: Facilitator['spec']['resources']
}

/** The parts that are wanted, the facilitator first. */
export function partsOf({ spec }: Facilitator): readonly Part[] {
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
