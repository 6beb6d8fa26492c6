/** ISO 8601 in UTC, of milliseconds since the Unix epoch. */
export const isoTime = (ms: number): string => new Date(ms).toISOString()
