/**
 * An intake in a process of its own, to be killed while it records: it is slow, and after some declarations it stands
 * still in the middle of the next, so that it never ends before it is killed. Exits when its parent does.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { startIntake } from '../../../src/catalog/intake/start-intake.ts'
import { systemClock } from '../../../src/platform/core/time/clock.ts'
import { openStore } from '../../../src/platform/database/open.ts'
import { createLogger } from '../../../src/platform/telemetry/logs/logger.ts'
import { createMetrics } from '../../../src/platform/telemetry/metrics/metrics.ts'
import { patientValidator } from './declarations.ts'

const { url, takenForMs, standsStillAfter } = JSON.parse(process.argv[2] ?? '{}')
process.on('disconnect', () => process.exit(1))
let asked = 0

startIntake({
  store: await openStore({ kind: 'postgres', url, poolSize: 4 }),
  clock: systemClock,
  random: () => 0,
  log: createLogger({ level: 'silent' }),
  metrics: createMetrics(),
  validator: patientValidator(),
  quotas: { perOwner: 1_000, perPayer: 1_000, inTotal: 1_000 },
  writer: `process ${process.pid}`,
  isOwnAccount: async () => {
    asked += 1
    // For each declaration of its payee and of its payer.
    if (asked > 2 * standsStillAfter) await new Promise(() => undefined)
    await sleep(5)
    return false
  },
  everyMs: 10,
  takenForMs,
  onListed: () => undefined,
})
