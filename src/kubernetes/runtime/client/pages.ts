import { apiVersionOf, type KubeObject, type ResourceType } from '../objects/resource.ts'
import { isKubeError } from './kube-error.ts'

/** Any writer may make objects of 1.5 MB: a page of the largest ones has 75 MB, which have to arrive within the time limit of a call. */
const PAGE_SIZE = 50

/** Called for each object as it arrives, with its own copy; the result takes the object's place. */
export type Transform<T extends KubeObject> = (object: T) => T

export interface Listed<T extends KubeObject> {
  readonly items: readonly T[]
  /** A watch from this version continues the list. */
  readonly resourceVersion: string
}

interface Page {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string }
}

/** Gives each object to `onItem`, and resolves with the rest of the page. */
export type ReadPage = (
  query: Readonly<Record<string, string | undefined>>,
  onItem: (item: unknown) => void,
) => Promise<unknown>

/** How often a list begins again. The server keeps a version for five minutes or more. */
const MAX_RESTARTS = 2

/**
 * Reads a collection page by page, as of one resourceVersion. When the server has compacted that version before the last page, it begins
 * again: one request for the whole list has no bound. Rejects with a KubeError of kind gone when that does not help.
 */
export async function listPages<T extends KubeObject>(
  type: ResourceType<T>,
  read: ReadPage,
  transform: Transform<T> = (object) => object,
  pageSize = PAGE_SIZE,
): Promise<Listed<T>> {
  for (let restarts = 0; ; restarts += 1) {
    const listed = await listOnce(type, read, transform, pageSize, restarts < MAX_RESTARTS)
    if (listed !== 'expired') return listed
  }
}

async function listOnce<T extends KubeObject>(
  type: ResourceType<T>,
  read: ReadPage,
  transform: Transform<T>,
  pageSize: number,
  mayRestart: boolean,
): Promise<Listed<T> | 'expired'> {
  const items: T[] = []
  // One by one, so that what the transform drops is not held until the page has ended.
  const take = (item: unknown) => {
    items.push(transform(typed(type, item as KubeObject)))
  }
  let next: string | undefined
  for (;;) {
    try {
      const page = (await read({ limit: String(pageSize), continue: next }, take)) as Page
      next = page.metadata?.continue
      if (!next) return { items, resourceVersion: page.metadata?.resourceVersion ?? '' }
    } catch (error) {
      if (next !== undefined && mayRestart && isKubeError(error, 'gone')) return 'expired'
      throw error
    }
  }
}

/** With apiVersion and kind, which the items of a list of a built-in kind lack, and which are others in metadata alone. */
export const typed = <T extends KubeObject>(type: ResourceType<T>, object: KubeObject): T =>
  ({ ...object, apiVersion: apiVersionOf(type), kind: type.kind }) as T
