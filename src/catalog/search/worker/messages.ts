import type { ListedText } from '../../items/listed-item.ts'
import type { IndexParts } from '../index/search-index.ts'

/**
 * The messages to the worker. The texts of documents arrive in pieces, so that no piece occupies the sending thread for long; each has a
 * number. One that is the same as in the last build is sent as its number alone.
 */
export type ToWorker =
  | Readonly<{
      kind: 'documents'
      documents: readonly (readonly [number: number, text: ListedText | null])[]
    }>
  | Readonly<{ kind: 'build' }>

/** The worker's answer to each `build`. */
export type FromWorker =
  | Readonly<{ kind: 'built'; parts: IndexParts }>
  | Readonly<{ kind: 'failed'; message: string }>
