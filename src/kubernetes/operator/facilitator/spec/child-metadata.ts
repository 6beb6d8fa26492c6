import type { Facilitator } from '../../../crd/facilitator.ts'
import { childName } from '../../../crd/names/child-name.ts'
import { labels, labelValues } from '../../../crd/names/marks.ts'
import type { DesiredMeta } from '../../../runtime/objects/resource.ts'

/** The component label of migration pods. */
export const MIGRATION = 'migration'
/** The component label of preflight pods. */
export const PREFLIGHT = 'preflight'

/** Name of a child; depends only on the Facilitator's name and the suffix. */
export const nameOf = ({ metadata }: Facilitator, suffix: string): string =>
  childName(metadata.name, suffix)

const APP = 'stellar-x402'

/** Labels by which pods are selected; they never change. */
export const selectorOf = (
  { metadata }: Facilitator,
  component?: string,
): Readonly<Record<string, string>> => ({
  [labels.name]: APP,
  [labels.instance]: metadata.name,
  ...(component !== undefined && { [labels.component]: component }),
})

/** Labels of every child. */
export const labelsOf = (
  facilitator: Facilitator,
  component?: string,
): Readonly<Record<string, string>> => ({
  ...selectorOf(facilitator, component),
  [labels.partOf]: labelValues.partOf,
  [labels.managedBy]: labelValues.managedBy,
  [labels.facilitator]: facilitator.metadata.name,
})

export interface MetaParts {
  readonly suffix: string
  readonly component?: string | undefined
  readonly labels?: Readonly<Record<string, string>> | undefined
  readonly annotations?: Readonly<Record<string, string>> | undefined
}

export const metadataOf = (facilitator: Facilitator, parts: MetaParts): DesiredMeta => ({
  name: nameOf(facilitator, parts.suffix),
  namespace: facilitator.metadata.namespace,
  labels: { ...parts.labels, ...labelsOf(facilitator, parts.component) },
  ...(parts.annotations && { annotations: parts.annotations }),
})
