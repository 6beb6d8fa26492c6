import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { type ResvgRenderOptions, renderAsync } from '@resvg/resvg-js'
import { LruMap } from '../../../core/lru-map.ts'
import { encodePng } from './encode-png.ts'

/** Of some 30 KB each. */
const KEPT_CARDS = 100
/** Drawing takes 20 ms of a thread that names, files and compression share: one at a time. */
const MAX_WAITING = 20

const fontFile = (name: string): string =>
  fileURLToPath(import.meta.resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`))

/** None of the system: the same picture on every machine. */
export const fonts: NonNullable<ResvgRenderOptions['font']> = {
  loadSystemFonts: false,
  fontFiles: ['DejaVuSans', 'DejaVuSans-Bold', 'DejaVuSansMono'].map(fontFile),
  defaultFontFamily: 'DejaVu Sans',
  sansSerifFamily: 'DejaVu Sans',
  monospaceFamily: 'DejaVu Sans Mono',
}

/** Draws SVG as PNG off the main thread, one at a time, and keeps the latest. */
export class CardDrawer {
  readonly #kept = new LruMap<string, Promise<Buffer>>(KEPT_CARDS)
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  /** Undefined: too many others wait. Requests for the same picture share one drawing. */
  draw(svg: string): Promise<Buffer> | undefined {
    const key = tagOf(svg)
    const kept = this.#kept.get(key)
    if (kept !== undefined) return kept
    if (this.#waiting >= MAX_WAITING) return undefined
    this.#waiting += 1
    const drawn = this.#last.then(() => drawPng(svg))
    this.#last = drawn.then(
      () => this.#release(),
      () => {
        this.#kept.delete(key)
        this.#release()
      },
    )
    this.#kept.set(key, drawn)
    return drawn
  }

  #release(): void {
    this.#waiting -= 1
  }
}

/** Names the content of a picture before it is drawn. */
export const tagOf = (svg: string): string =>
  createHash('sha256').update(svg).digest('base64url').slice(0, 22)

async function drawPng(svg: string): Promise<Buffer> {
  const { width, height, pixels } = await renderAsync(svg, { font: fonts })
  return encodePng({ width, height, rgba: pixels })
}
