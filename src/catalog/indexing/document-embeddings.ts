import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Db } from '../../platform/database/schema.ts'
import type { ListedItem, ListedText } from '../items/listed-item.ts'
import type { DocumentVectors } from '../search/index/search-index.ts'
import { deleteUnusedEmbeddings, findEmbeddings, storeEmbeddings } from '../store/embeddings.ts'

/** The interface of an embeddings endpoint; `embeddingsClient` implements it. */
export interface Embedder {
  readonly model: string
  /** The unit vector of each text, in order; rejects when the endpoint fails. */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]>
}

/** Texts of one request; its vectors are stored before the next one. */
const BATCH = 64
/** Documents between two pauses in which the process answers requests. */
const PIECE = 250

/**
 * The vectors of the documents, by the hash of their texts: from this process's memory, else from the store, else from
 * the endpoint. So a listing is embedded once, and not by every replica and at every start.
 */
export class DocumentEmbeddings {
  readonly #db: Db
  readonly #embedder: Embedder
  readonly #hashes = new WeakMap<ListedText, string>()
  readonly #vectors = new Map<string, Float32Array>()

  constructor(db: Db, embedder: Embedder) {
    this.#db = db
    this.#embedder = embedder
  }

  /**
   * A row for each document; zeros for one whose vector is not known yet, so that its words alone find it. Undefined
   * when none is known.
   */
  async rows(documents: readonly ListedItem[]): Promise<DocumentVectors | undefined> {
    const [some] = this.#vectors.values()
    if (!some) return undefined
    const dimensions = some.length
    const rows = new Float32Array(documents.length * dimensions)
    for (const [at, { text }] of documents.entries()) {
      if (at % PIECE === PIECE - 1) await setImmediate()
      const hash = this.#hashOf(text)
      const vector = this.#vectors.get(hash)
      if (vector?.length !== dimensions) continue
      rows.set(vector, at * dimensions)
      // A view, so that the vectors are in memory once.
      this.#vectors.set(hash, rows.subarray(at * dimensions, (at + 1) * dimensions))
    }
    return { dimensions, rows }
  }

  /** Gets the vectors that are missing. Rejects when the endpoint or the store fails; then some may still be missing. */
  async complete(documents: readonly ListedItem[], signal: AbortSignal): Promise<void> {
    const missing = new Map<string, string>()
    const unused = new Set(this.#vectors.keys())
    for (const [at, { text }] of documents.entries()) {
      if (at % PIECE === PIECE - 1) await setImmediate()
      const hash = this.#hashOf(text)
      if (!unused.delete(hash) && !this.#vectors.has(hash)) {
        missing.set(hash, describingText(text))
      }
    }
    for (const hash of unused) this.#vectors.delete(hash)
    if (missing.size === 0) return
    const { model } = this.#embedder
    for (const { hash, vector } of await findEmbeddings(this.#db, model, [...missing.keys()])) {
      this.#vectors.set(hash, vector)
      missing.delete(hash)
    }
    const wanted = [...missing]
    for (let at = 0; at < wanted.length; at += BATCH) {
      await this.#embed(wanted.slice(at, at + BATCH), signal)
    }
    await deleteUnusedEmbeddings(this.#db)
  }

  async #embed(wanted: readonly (readonly [string, string])[], signal: AbortSignal): Promise<void> {
    const { model } = this.#embedder
    const vectors = await this.#embedder.embed(
      wanted.map(([, text]) => text),
      signal,
    )
    const embedded = wanted.map(([hash], at) => ({ hash, vector: vectors[at] as Float32Array }))
    for (const { hash, vector } of embedded) this.#vectors.set(hash, vector)
    await storeEmbeddings(this.#db, model, embedded)
  }

  #hashOf(text: ListedText): string {
    const known = this.#hashes.get(text)
    if (known !== undefined) return known
    const hash = createHash('sha256').update(describingText(text)).digest('hex')
    this.#hashes.set(text, hash)
    return hash
  }
}

/** The text from which a document's vector is made: it describes the resource, without its host. */
const describingText = ({ name, path, tags, description }: ListedText): string =>
  `${name} ${tags.join(' ')} ${description} ${path}`
