/**
 * Preloaded (`node --import`) into a process that must not outlive its parent. The IPC channel between
 * them closes however the parent dies, `kill -9` included. Then this process sends itself SIGTERM, and
 * exits if the orderly stop takes too long.
 */
const ORDERLY_STOP_MS = 8_000

process.once('disconnect', () => {
  setTimeout(() => process.exit(1), ORDERLY_STOP_MS).unref()
  process.kill(process.pid, 'SIGTERM')
})
// The channel must not keep a process alive that has nothing left to do.
process.channel?.unref()
