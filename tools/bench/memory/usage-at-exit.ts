/** Preloaded (`node --import`) into a command: prints on standard error what it has used. */
import { writeSync } from 'node:fs'

process.once('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  const usage = { cpuMs: (userCPUTime + systemCPUTime) / 1_000, peak: (maxRSS * 1_024) / 1_000_000 }
  writeSync(process.stderr.fd, JSON.stringify(usage))
})
