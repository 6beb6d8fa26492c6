/**
 * Buyers of one kind in a process of their own. Each purchase is tried until it has its goods; a process that is started again goes on with
 * what its files say. It reports each purchase, and exits when the parent does.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { stayOnThisMachine } from '../../../src/demo/this-machine-only.ts'
import { buyOverHttp } from './buy-over-http.ts'
import { toolBuyer } from './buy-over-mcp.ts'
import { Journal } from './journal.ts'
import type { BuyerSettings, FromBuyer } from './settings.ts'

const PAUSE_MS = 300

const settings: BuyerSettings = JSON.parse(process.argv[2] ?? '{}')
const report = (message: FromBuyer) => process.send?.(message)
process.on('disconnect', () => process.exit(1))
stayOnThisMachine()

const journal = new Journal(settings.folder)
const entries = journal.read()
const begun = new Set(entries.map(({ n }) => n))
const over = new Set(entries.flatMap((entry) => ('isBegun' in entry ? [] : [entry.n])))

function* purchases(): Generator<number> {
  for (const n of begun) if (!over.has(n)) yield n
  for (let n = 0; n < settings.purchases && Date.now() < settings.beginsUntil; n++) {
    if (begun.has(n)) continue
    journal.write({ n, isBegun: true })
    yield n
  }
}
const waiting = purchases()
const buy = settings.kind === 'http' ? buyOverHttp(settings, journal) : toolBuyer(settings, journal)

async function buyNext(): Promise<void> {
  for (const n of waiting) {
    while (!(await buy(n))) await sleep(PAUSE_MS)
    report('has one more')
  }
}

await Promise.all(Array.from({ length: settings.atOnce }, buyNext))
report('has all')
