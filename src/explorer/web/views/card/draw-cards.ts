import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { ResvgRenderOptions } from '@resvg/resvg-js'
import { LruMap } from '../../../../platform/core/lru-map.ts'
import { encodePng } from './encode-png.ts'

/** Of some 30 KB each. */
const KEPT_CARDS = 100
/** Drawing takes 20 ms of a thread that names, files and compression share: one at a time. */
const MAX_WAITING = 20

/** npm installed no renderer: it is no dependency of the package. */
export class NoRenderer extends Error {
  override readonly name = 'NoRenderer'

  constructor(cause: unknown) {
    super('pictures need two packages: npm install @resvg/resvg-js@2 dejavu-fonts-ttf@2', { cause })
  }
}

/** None of the system: the same picture on every machine. Throws when npm installed none. */
export function fonts(): NonNullable<ResvgRenderOptions['font']> {
  const fontFile = (name: string): string =>
    fileURLToPath(import.meta.resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`))
  return {
    loadSystemFonts: false,
    fontFiles: ['DejaVuSans', 'DejaVuSans-Bold', 'DejaVuSansMono'].map(fontFile),
    defaultFontFamily: 'DejaVu Sans',
    sansSerifFamily: 'DejaVu Sans',
    monospaceFamily: 'DejaVu Sans Mono',
  }
}

/** Draws SVG as PNG off the main thread, one at a time, and keeps the latest. Drawing throws `NoRenderer`. */
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
  const { render, font } = await renderer()
  const { width, height, pixels } = await render(svg, { font })
  return encodePng({ width, height, rgba: pixels })
}

async function renderer() {
  try {
    const { renderAsync } = await import('@resvg/resvg-js')
    return { render: renderAsync, font: fonts() }
  } catch (cause) {
    throw new NoRenderer(cause)
  }
}
