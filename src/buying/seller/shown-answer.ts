import { cleanBlock, cleanLine, cutTo } from '../../platform/core/text/hostile-text.ts'
import type { SellerAnswer } from './seller-http.ts'

/** A seller's answer as a person or a model may see it: without hidden characters, and cut. Its words are unchecked. */
export interface ShownAnswer {
  readonly status: number
  /** The media type without parameters; null where the answer names none. */
  readonly contentType: string | null
  /** Empty for a body that is not text. */
  readonly text: string
  /** Whether `text` is not the whole body. */
  readonly isCut: boolean
}

/** Enough for the message of an error. */
const MAX_LENGTH = 2_000
const MAX_LINES = 20

export function shownAnswer({ status, headers, body, cut }: SellerAnswer): ShownAnswer {
  const type = headers.get('content-type')?.split(';')[0]
  const whole = textOf(body, cut !== null)
  const lines = cleanBlock(whole ?? '').split('\n')
  const text = cutTo(MAX_LENGTH, lines.slice(0, MAX_LINES).join('\n'))
  return {
    status,
    contentType: type ? cutTo(100, cleanLine(type)) : null,
    text,
    isCut: cut !== null || lines.length > MAX_LINES || text.length === MAX_LENGTH,
  }
}

/**
 * The text of a body in UTF-8; undefined for any other.
 *
 * @param isCut whether the last character may be incomplete
 */
export function textOf(body: Uint8Array, isCut: boolean): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body, { stream: isCut })
  } catch {
    return undefined
  }
}
