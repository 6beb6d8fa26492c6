import { apiVersionOf, type KubeObject, type ResourceType } from '../objects/resource.ts'
import type { ApiAnswer } from './api-calls.ts'
import { isKubeError } from './kube-error.ts'

/** Objects may have 1.5 MB each, by whoever may write them: a page of the largest ones takes 75 MB, and is read before any is dropped. */
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
  readonly items?: readonly KubeObject[] | null
}

type ReadPage = (query: Readonly<Record<string, string | undefined>>) => Promise<ApiAnswer>

/**
 * Reads a collection page by page, as of one resourceVersion. When the server has compacted that version
 * before the last page, reads the whole list in one request, as client-go does.
 */
export async function listPages<T extends KubeObject>(
  type: ResourceType<T>,
  read: ReadPage,
  transform: Transform<T> = (object) => object,
  pageSize = PAGE_SIZE,
): Promise<Listed<T>> {
  const items: T[] = []
  let next: string | undefined
  for (;;) {
    const page = await readPage(read, pageSize, next)
    if (page === 'expired') return listWhole(type, read, transform)
    // Page by page, so that what the transform drops is not held until the last one.
    items.push(...itemsOf(type, page, transform))
    next = page.metadata?.continue
    if (!next) return { items, resourceVersion: page.metadata?.resourceVersion ?? '' }
  }
}

async function readPage(
  read: ReadPage,
  pageSize: number,
  next: string | undefined,
): Promise<Page | 'expired'> {
  try {
    return (await read({ limit: String(pageSize), continue: next })).value as Page
  } catch (error) {
    if (next !== undefined && isKubeError(error, 'gone')) return 'expired'
    throw error
  }
}

async function listWhole<T extends KubeObject>(
  type: ResourceType<T>,
  read: ReadPage,
  transform: Transform<T>,
): Promise<Listed<T>> {
  const page = (await read({})).value as Page
  return {
    items: itemsOf(type, page, transform),
    resourceVersion: page.metadata?.resourceVersion ?? '',
  }
}

function itemsOf<T extends KubeObject>(
  type: ResourceType<T>,
  { items }: Page,
  transform: Transform<T>,
): readonly T[] {
  return (items ?? []).map((item) => transform(typed(type, item)))
}

/** With apiVersion and kind, which the items of a list of a built-in kind lack, and which are others in metadata alone. */
export const typed = <T extends KubeObject>(type: ResourceType<T>, object: KubeObject): T =>
  ({ ...object, apiVersion: apiVersionOf(type), kind: type.kind }) as T
