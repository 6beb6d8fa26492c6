import type { ComponentChildren } from 'preact'
import type { NetworkId } from '../../platform/core/caip2.ts'

export type Section = 'overview' | 'catalog' | 'payments' | 'sellers' | 'facilitators'

/** A request for a page, parsed. */
export interface PageRequest {
  /** Parameters of the path, by their names in `pagePaths`. */
  readonly params: Readonly<Record<string, string>>
  /** A parameter that is empty, as forms send it, is absent. */
  readonly query: Readonly<Record<string, string>>
  /** The parameter `network`, which every page takes; absent: all networks. */
  readonly network?: NetworkId
  /** The client's address, as limits count it. */
  readonly client: string
  /** Unix ms. */
  readonly now: number
}

/** A page without the layout around it. */
export interface Page {
  /** For the browser's title; the page writes its own `h1`. */
  readonly title: string
  /** The part of the navigation that it belongs to. */
  readonly section?: Section
  readonly body: ComponentChildren
  /** @default 200 */
  readonly status?: number
  /** Text that a shared link to the page shows. */
  readonly description?: string
}

/** Leads to another page. */
export interface Redirect {
  readonly location: string
}

/** A file, sent while it is read. */
export interface Download {
  readonly fileName: string
  readonly contentType: string
  readonly text: AsyncGenerator<string, void>
}

/** Thrown by a page: answered as a page of the same layout. */
export class PageRefusal extends Error {
  override readonly name = 'PageRefusal'
  readonly status: 400 | 404 | 503
  readonly heading: string
  /** Of the query, whose value is wrong: the page links to itself without it. */
  readonly parameter: string | undefined

  /** @param sentence what is wrong, and what to do about it */
  constructor(status: 400 | 404 | 503, heading: string, sentence: string, parameter?: string) {
    super(sentence)
    this.status = status
    this.heading = heading
    this.parameter = parameter
  }
}
