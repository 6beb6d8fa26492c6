import { controllerOf, type Key, type KubeObject, keyOf, type ResourceType } from './resource.ts'

/** From a child to the key of the `owner` kind that controls it: none, or one. */
export const ownerKeys =
  ({ group, kind }: ResourceType) =>
  (object: KubeObject): readonly Key[] => {
    const owner = controllerOf(object)
    if (owner?.kind !== kind || owner.apiVersion.split('/').at(-2) !== (group || undefined))
      return []
    const { namespace } = object.metadata
    return [keyOf({ name: owner.name, ...(namespace === undefined ? {} : { namespace }) })]
  }
