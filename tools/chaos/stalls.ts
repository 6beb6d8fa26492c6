/**
 * Measures how long this whole process stalled: on a paused or overloaded machine every deadline passes at
 * once, which says nothing about the service under test.
 */
export function watchForStalls(): { readonly longestMs: number } {
  let last = performance.now()
  let longestMs = 0
  setInterval(() => {
    const now = performance.now()
    longestMs = Math.max(longestMs, now - last - CHECK_EVERY_MS)
    last = now
  }, CHECK_EVERY_MS).unref()
  return {
    get longestMs() {
      return longestMs
    },
  }
}

const CHECK_EVERY_MS = 100
