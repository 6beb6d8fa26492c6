/** Time to close a ledger of a thousand transfers, and how long it blocks the event loop. */
import { Localnet } from '../../../src/localnet/network.ts'
import { median } from '../statistics.ts'
import { type Measure, milliseconds } from './measure.ts'
import { openAccounts, transferEnvelope } from './transfers.ts'

const TRANSFERS = 1_000
const PAYERS = 100
const ROUNDS = 3
const TARGET_MS = 2_000
const TARGET_BLOCKED_MS = 50

interface Round {
  readonly submitMs: number
  readonly closeMs: number
  /** Processor time of the close, all threads of the process, in milliseconds. */
  readonly cpuMs: number
  readonly blockedMs: number
}

export async function measureLedger(progress: (line: string) => void): Promise<Measure[]> {
  const net = new Localnet({ limits: 'none' })
  const accounts = await openAccounts(net, { sources: TRANSFERS, payers: PAYERS })
  const rounds: Round[] = []
  for (let round = 0; round < ROUNDS; round++) {
    progress(`signing ${TRANSFERS} transfers`)
    const envelopes: Uint8Array[] = []
    for (const [index, source] of accounts.sources.entries()) {
      const payer = accounts.payers[index % PAYERS] ?? source
      envelopes.push(await transferEnvelope(net, { source, payer, seller: accounts.seller }))
    }
    rounds.push(await closeOne(net, envelopes))
  }
  const of = (read: (round: Round) => number) => rounds.map(read)
  const closeMs = median(of(({ closeMs: it }) => it))
  const blockedMs = Math.max(...of(({ blockedMs: it }) => it))
  const cpu = milliseconds(median(of(({ cpuMs }) => cpuMs)))
  const submit = milliseconds(median(of(({ submitMs }) => submitMs)) / TRANSFERS)
  return [
    {
      what: `a ledger of ${TRANSFERS} transfers (processor time ${cpu}; submitting one ${submit})`,
      target: '2 s',
      figure: milliseconds(closeMs),
      met: closeMs < TARGET_MS,
    },
    {
      what: 'longest block of the event loop during a close',
      target: '50 ms',
      figure: milliseconds(blockedMs),
      met: blockedMs < TARGET_BLOCKED_MS,
    },
  ]
}

async function closeOne(net: Localnet, envelopes: readonly Uint8Array[]): Promise<Round> {
  const start = performance.now()
  for (const envelope of envelopes) {
    const { status } = net.submit(envelope)
    if (status !== 'PENDING') throw new Error(`a transfer was ${status}`)
  }
  const submitMs = performance.now() - start
  const [watch, cpu, closing] = [watchLoop(), process.cpuUsage(), performance.now()]
  const { transactions } = await net.closeLedger()
  const closeMs = performance.now() - closing
  const { user, system } = process.cpuUsage(cpu)
  const blockedMs = watch.stop()
  const good = transactions.filter(({ successful }) => successful).length
  if (good !== envelopes.length)
    throw new Error(`${good} of ${envelopes.length} transfers succeeded`)
  return { submitMs, closeMs, cpuMs: (user + system) / 1000, blockedMs }
}

/** Measures the longest time between two turns of the event loop. */
function watchLoop(): { stop(): number } {
  let longest = 0
  let last = performance.now()
  let stopped = false
  const turn = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
    if (!stopped) setImmediate(turn)
  }
  setImmediate(turn)
  return {
    stop: () => {
      stopped = true
      return Math.max(longest, performance.now() - last)
    },
  }
}
