/** Starts now; each call returns the seconds since, by the monotonic clock. */
export function stopwatch(): () => number {
  const startedAt = performance.now()
  return () => (performance.now() - startedAt) / 1_000
}
