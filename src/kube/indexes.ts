import { controllerOf } from './resource.ts'
import type { Index } from './store.ts'

/** Finds objects by the uid of the one that controls them. */
export const byControllerUid: Index = (object) => {
  const owner = controllerOf(object)
  return owner ? [owner.uid] : []
}

/** Finds objects by the value of one label. */
export const byLabel =
  (label: string): Index =>
  ({ metadata }) => {
    const value = metadata.labels?.[label]
    return value === undefined ? [] : [value]
  }
