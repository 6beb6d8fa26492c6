/**
 * Preloaded (`node --import`) into a process that must not outlive the one that started it. The
 * channel between the two closes however the parent ends, `kill -9` included; from then on this
 * process stops in its own orderly way, and at once if that takes too long.
 */
const ORDERLY_STOP_MS = 8_000

process.once('disconnect', () => {
  setTimeout(() => process.exit(1), ORDERLY_STOP_MS).unref()
  process.kill(process.pid, 'SIGTERM')
})
// Listening alone would keep a process alive that has nothing left to do.
process.channel?.unref()
