/**
 * Notices when this whole process stood still: a paused or overloaded machine lets every deadline
 * pass at once, which says nothing about what is being tested.
 */
export function watchForStandstill(): { readonly longestMs: number } {
  let last = performance.now()
  let longestMs = 0
  setInterval(() => {
    const now = performance.now()
    longestMs = Math.max(longestMs, now - last - LOOK_EVERY_MS)
    last = now
  }, LOOK_EVERY_MS).unref()
  return {
    get longestMs() {
      return longestMs
    },
  }
}

const LOOK_EVERY_MS = 100
