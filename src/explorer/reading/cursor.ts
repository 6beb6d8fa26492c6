import { z } from 'zod'
import { isoTime } from '../../platform/core/text/iso-time.ts'
import type { FeedKey } from '../store/feed/read-feed-rows.ts'
import { closedAtOf, positionOf } from '../store/ingest/position.ts'

const cursorSchema = z.tuple([
  z.iso.datetime(),
  z.string().regex(/^[0-9a-f]{64}$/),
  z.int().min(0).max(32_767),
])

/** The place of a payment in the feed, as text for its reader: base64url of `[closedAt, txHash, opIndex]`. */
export const writeCursor = ({ position, txHash, opIndex }: FeedKey): string =>
  Buffer.from(JSON.stringify([isoTime(closedAtOf(position) * 1_000), txHash, opIndex])).toString(
    'base64url',
  )

/** Undefined for text that `writeCursor` does not write. */
export function readCursor(text: string): FeedKey | undefined {
  if (!/^[A-Za-z0-9_-]{1,512}$/.test(text)) return undefined
  const parsed = cursorSchema.safeParse(jsonOf(Buffer.from(text, 'base64url').toString()))
  if (!parsed.success) return undefined
  const [closedAt, txHash, opIndex] = parsed.data
  const seconds = Date.parse(closedAt) / 1_000
  if (!Number.isInteger(seconds) || seconds < 0 || seconds >= 2 ** 31) return undefined
  return { position: positionOf(seconds, txHash), txHash, opIndex }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
