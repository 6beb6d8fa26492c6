import { annotations, childAnnotations, labels } from '../../crd/names/marks.ts'
import { controllerOf } from '../../runtime/cache/owners.ts'
import type { KeepManagers } from '../../runtime/cache/store.ts'
import type { Transform } from '../../runtime/client/pages.ts'
import { identityOf } from '../../runtime/objects/metadata-only.ts'
import type { KubeObject, ObjectMeta } from '../../runtime/objects/resource.ts'
import type { AnyObject } from '../../runtime/objects/well-known.ts'
import { isWithin, type SizeLimit } from './size.ts'

/** The largest object of a Facilitator, a Deployment, has some 10,000 characters. */
const LIMIT: SizeLimit = { characters: 65_536, values: 4_096 }
const LONGEST_STATUS = 4_096
/** A hash, a name or a number. */
const LONGEST_MARK = 512
const LONGEST_OWNER = 1_024

const keptLabels: readonly string[] = [labels.managedBy, labels.facilitator, labels.component]
const keptAnnotations: readonly string[] = [annotations.adoptBy, ...Object.values(childAnnotations)]

/** An object without its content. */
type Reduced = KubeObject & { readonly isReduced: true }

/** Whether the cache holds only what identifies this object: to compare its content, read it from the API server. */
export const isReduced = (object: KubeObject): object is Reduced => 'isReduced' in object

/**
 * A `transform` for kinds whose objects a tenant may create too, with the label of the operator's own and with a Facilitator as their
 * controller: a long one is held without its content, or some hundreds of 1 MiB would fill the memory.
 */
export const bounded =
  (keep: KeepManagers): Transform<AnyObject> =>
  (object) => {
    const { managedFields = [], ...metadata } = object.metadata
    const held = { ...object, metadata: { ...metadata, managedFields: keep(managedFields) } }
    return isWithin(held, LIMIT) ? object : reduced(object)
  }

function reduced(object: AnyObject): AnyObject & Reduced {
  const { metadata, status } = object
  const { generation, creationTimestamp, deletionTimestamp } = metadata
  const controller = controllerOf(object)
  return {
    ...identityOf(object),
    metadata: {
      ...identityOf(object).metadata,
      ...(generation !== undefined && { generation }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      labels: marksOf(metadata.labels, keptLabels),
      annotations: marksOf(metadata.annotations, keptAnnotations),
      ...(isShort(controller, LONGEST_OWNER) && { ownerReferences: [controller] }),
    },
    ...(isShort(status, LONGEST_STATUS) && { status }),
    isReduced: true,
  }
}

const isShort = <T>(value: T | undefined, longest: number): value is T =>
  value !== undefined && JSON.stringify(value).length <= longest

/** Labels or annotations of these names, without long ones. */
export const marksOf = (
  marks: ObjectMeta['labels'],
  names: readonly string[],
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(marks ?? {}).filter(
      ([name, value]) => names.includes(name) && value.length <= LONGEST_MARK,
    ),
  )
