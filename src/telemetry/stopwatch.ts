/** Starts now; each call answers the seconds since, by a clock that never runs backwards. */
export function stopwatch(): () => number {
  const begun = performance.now()
  return () => (performance.now() - begun) / 1_000
}
