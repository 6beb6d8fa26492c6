import type { TextForm } from './text-form.ts'

/** CEL and Go parse it the same. */
export const durationForm: TextForm = {
  expression: '^[1-9][0-9]{0,5}(ms|s|m|h)$',
  message: 'must be a whole number and one unit (ms, s, m or h), such as 250ms, 10s or 5m',
}

const durationPattern = new RegExp(durationForm.expression)

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** Milliseconds of a duration of the API. Throws a RangeError for anything else. */
export function durationMs(text: string): number {
  const unit = durationPattern.exec(text)?.[1] ?? ''
  const ms = unitMs[unit]
  if (ms === undefined) throw new RangeError(`${text} is not a duration such as 250ms, 10s or 5m`)
  return Number(text.slice(0, -unit.length)) * ms
}
