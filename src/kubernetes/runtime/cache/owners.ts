import {
  type Key,
  type KubeObject,
  keyOf,
  type OwnerReference,
  type ResourceType,
} from '../objects/resource.ts'
import type { Index } from './store.ts'

/** Makes `owner` the controller of another object, which the garbage collector then deletes after it. */
export const controllerReference = (owner: KubeObject): OwnerReference => ({
  apiVersion: owner.apiVersion,
  kind: owner.kind,
  name: owner.metadata.name,
  uid: owner.metadata.uid,
  controller: true,
  blockOwnerDeletion: true,
})

export const controllerOf = (object: KubeObject): OwnerReference | undefined =>
  object.metadata.ownerReferences?.find(({ controller }) => controller === true)

/** The key of the `owner` kind that controls an object: none or one. For `Controller.watch`. */
export const ownerKeys =
  ({ group, kind }: ResourceType) =>
  (object: KubeObject): readonly Key[] => {
    const owner = controllerOf(object)
    if (owner?.kind !== kind || owner.apiVersion.split('/').at(-2) !== (group || undefined))
      return []
    const { namespace } = object.metadata
    return [keyOf({ name: owner.name, ...(namespace !== undefined && { namespace }) })]
  }

/**
 * The key under which `byController` has the objects that a namespaced `owner` controls. An object of another namespace can name
 * any uid as its controller, and is not the owner's: an owner reference does not leave its namespace.
 */
export const ownedKey = ({
  namespace = '',
  uid,
}: {
  readonly namespace?: string | undefined
  readonly uid: string
}): string => `${namespace}/${uid}`

/** Finds objects by their controller; see `ownedKey`. */
export const byController: Index = (object) => {
  const owner = controllerOf(object)
  return owner ? [ownedKey({ namespace: object.metadata.namespace, uid: owner.uid })] : []
}
