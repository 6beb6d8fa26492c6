/** Reads the durations of a Server-Timing header, by name, in milliseconds. */
export function readServerTiming(header: string | null): Map<string, number> {
  const durations = new Map<string, number>()
  for (const entry of (header ?? '').split(',')) {
    const match = /^\s*(?<name>[\w-]+);dur=(?<ms>\d+(?:\.\d+)?)\s*$/.exec(entry)
    if (match?.groups) durations.set(match.groups['name']!, Number(match.groups['ms']))
  }
  return durations
}
