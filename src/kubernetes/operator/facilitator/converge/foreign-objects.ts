import type { SteadyClock } from '../../../../platform/core/time/clock.ts'
import type { Facilitator } from '../../../crd/facilitator.ts'
import { annotations, labels, labelValues } from '../../../crd/names/marks.ts'
import type { MayAdopt } from '../../../runtime/apply/plan-apply.ts'
import { FairLruMap } from '../../../runtime/fair-lru-map.ts'
import { type DesiredObject, keyOf } from '../../../runtime/objects/resource.ts'

/**
 * Whether a Facilitator may take over an object with the name of a child and without a controller: one that the
 * operator created for a Facilitator of this name (it was orphaned, or restored from a backup), or one that an
 * administrator offers.
 */
export const mayAdopt: MayAdopt = ({ metadata }, { metadata: { name } }) =>
  metadata.annotations?.[annotations.adoptBy] === name ||
  (metadata.labels?.[labels.managedBy] === labelValues.managedBy &&
    metadata.labels[labels.facilitator] === name)

/** The advice to an administrator about an object that is in the way. */
export function hintFor(
  reason: 'OwnedByAnother' | 'NotOurs',
  { metadata }: Pick<Facilitator, 'metadata'>,
  { kind, metadata: { name } }: DesiredObject,
): string {
  const away = 'delete it, or give the Facilitator another name'
  if (reason === 'OwnedByAnother') return `${away}.`
  const annotate = `kubectl annotate ${kind.toLowerCase()} ${name} ${annotations.adoptBy}=${metadata.name}`
  return `${away}, or let the operator take it over and change it with ${annotate}.`
}

/** No watch reports that an object without our label is gone, or may be adopted now. */
export const LOOK_AGAIN_MS = 30_000

const MAX_OBJECTS = 1_000

/** Objects of others that are in the way of children, so that not every pass has to ask for them. */
export class ForeignObjects {
  readonly #clock: SteadyClock
  readonly #known = new FairLruMap<{ readonly until: number; readonly message: string }>(
    MAX_OBJECTS,
  )

  constructor(clock: SteadyClock) {
    this.#clock = clock
  }

  /** The message about the object that takes the name, when the last look is recent. */
  find(facilitator: Facilitator, object: DesiredObject): string | undefined {
    const known = this.#known.get(facilitator.metadata.namespace, idOf(facilitator, object))
    return known && known.until > this.#clock.monotonic() ? known.message : undefined
  }

  note(facilitator: Facilitator, object: DesiredObject, message: string): void {
    // A little less than the time of the next pass, which has to look.
    const until = this.#clock.monotonic() + LOOK_AGAIN_MS - 1_000
    this.#known.set(facilitator.metadata.namespace, idOf(facilitator, object), { until, message })
  }
}

const idOf = ({ metadata: { uid } }: Facilitator, { kind, metadata }: DesiredObject): string =>
  `${uid} ${kind} ${keyOf(metadata)}`
