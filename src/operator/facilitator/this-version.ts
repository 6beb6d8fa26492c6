import type { Facilitator } from '../../api/facilitator.ts'

/** The parts that a spec can enable. Their names are those of their fields, and of the commands that their pods run. */
const optionalParts = ['catalog', 'explorer'] as const
type OptionalPart = (typeof optionalParts)[number]

/** Those whose command `svc` has. The API has all of them already, so that a spec need not change when they come. */
const inThisVersion: ReadonlySet<OptionalPart> = new Set(['catalog', 'explorer'])

export interface Supported {
  /** As in the cluster, but without the parts that this version lacks. */
  readonly facilitator: Facilitator
  /** The parts that it enables and this version lacks. */
  readonly missingParts: readonly OptionalPart[]
}

/**
 * Leaves out the parts whose pods could not start. Everything after this sees a spec that does not enable them.
 * @param known the parts whose command `svc` has; a version that has all of them leaves out none
 */
export function supportedPartOf(facilitator: Facilitator, known = inThisVersion): Supported {
  const { spec } = facilitator
  const missingParts = optionalParts.filter((part) => spec[part].enabled && !known.has(part))
  const off = missingParts.map((part) => [part, { ...spec[part], enabled: false }])
  return {
    facilitator: { ...facilitator, spec: { ...spec, ...Object.fromEntries(off) } },
    missingParts,
  }
}
