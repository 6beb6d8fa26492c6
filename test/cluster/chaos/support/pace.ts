import { appendFileSync } from 'node:fs'

/** `make chaos` runs outages as long as docs/reliability.md says; `make test` shortens them. */
export const isFull = process.env['CHAOS'] === 'full'

export const pace = (short: number, full: number): number => (isFull ? full : short)

/** Records a duration in ms for the table that `make chaos` prints. */
export function logDuration(what: string, tookMs: number): void {
  const file = process.env['CHAOS_TIMES']
  if (file) appendFileSync(file, `${JSON.stringify({ what, tookMs: Math.round(tookMs) })}\n`)
}

/** Timings of operators whose transactions expire within seconds. */
export const brisk = {
  TRANSACTION_VALIDITY_SECONDS: '4',
  RESYNC_SECONDS: '300',
} as const

/** The defaults. */
export const usual = {
  TRANSACTION_VALIDITY_SECONDS: '20',
  RESYNC_SECONDS: '300',
} as const

export const timings: Readonly<Record<string, string>> = isFull ? usual : brisk

/** Time limit of tests that wait for a successor. */
export const limits = { timeout: pace(180_000, 2_400_000) }
