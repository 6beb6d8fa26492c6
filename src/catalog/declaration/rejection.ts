import { cleanLine, cutTo } from '../../platform/core/text/hostile-text.ts'
import type { Rejection } from '../listing.ts'
import type { RejectionCode } from '../outcome/codes.ts'

/** Longest reason in `EXTENSION-RESPONSES`. */
const MAX_REASON_LENGTH = 300

/** A rejection; its reason may quote the seller. */
export const reject = (code: RejectionCode, reason: string): Rejection => ({
  ok: false,
  code,
  reason: cutTo(MAX_REASON_LENGTH, cleanLine(reason)),
})

/** How a reason quotes a value of the seller. */
export const quoted = (value: unknown): string =>
  cutTo(60, typeof value === 'string' ? `"${value}"` : (JSON.stringify(value) ?? 'nothing'))
