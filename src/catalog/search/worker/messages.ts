import type { DocumentVectors } from '../index/document-vectors.ts'
import type { IndexParts } from '../index/search-index.ts'
import type { SearchDocument } from '../search-document.ts'

/** What the worker is sent. Documents arrive in pieces, so that no piece occupies the sending thread for long. */
export type ToWorker =
  | Readonly<{ kind: 'documents'; documents: readonly SearchDocument[] }>
  | Readonly<{ kind: 'build'; dense: DocumentVectors | null }>

/** What it answers to each `build`. */
export type FromWorker =
  | Readonly<{ kind: 'built'; parts: IndexParts }>
  | Readonly<{ kind: 'failed'; message: string }>
