const steps = [
  { seconds: 86_400, unit: 'd' },
  { seconds: 3_600, unit: 'h' },
  { seconds: 60, unit: 'min' },
  { seconds: 1, unit: 's' },
] as const

/** After this a date says more than a number of days. */
const DAYS_IN_WORDS = 30

/** `5 min ago`; a date for what is older than a month. The script of the pages keeps it current by the same rule. */
export function relativeTime(iso: string, nowMs: number): string {
  const seconds = Math.floor((nowMs - Date.parse(iso)) / 1_000)
  if (seconds >= DAYS_IN_WORDS * 86_400) return iso.slice(0, 10)
  const step = steps.find((each) => seconds >= each.seconds)
  return step === undefined ? 'now' : `${Math.floor(seconds / step.seconds)} ${step.unit} ago`
}

/** `2026-09-17 12:00:05 UTC` */
export const exactTime = (iso: string): string => `${iso.slice(0, 19).replace('T', ' ')} UTC`
