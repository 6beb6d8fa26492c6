/** Whether memory grows with the number of ledgers once the window of kept ones is full. */
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Localnet } from '../../../src/localnet/network.ts'
import type { Clock } from '../../../src/platform/core/time/clock.ts'
import { type Measure, megabytes } from './measure.ts'
import { openAccounts, paymentEnvelope, transferEnvelope } from './transfers.ts'

const LEDGERS = 10_000
const KEPT_LEDGERS = 100
/** By then the history window and the caches are full, and the code is compiled. */
const SETTLED_LEDGER = 1_000
const LEDGERS_PER_TRANSFER = 5
/** Allowance for heap noise and the cache of 16,384 signature checks. */
const TARGET_GROWTH_BYTES = 3 * 2 ** 20

interface Sample {
  /** Heap, buffers and the host's linear memory. */
  readonly used: number
  readonly resident: number
}

export async function measureMemory(progress: (line: string) => void): Promise<Measure[]> {
  const clock = new FastClock()
  const net = new Localnet({ clock, retainLedgers: KEPT_LEDGERS })
  const people = await openAccounts(net, { sources: 2, payers: 5 })
  const samples: Sample[] = []
  for (let ledger = 1; ledger <= LEDGERS; ledger++) {
    await oneLedger(net, people, ledger)
    clock.pass(5_000)
    if (ledger % SETTLED_LEDGER !== 0) continue
    const sample = await takeSample(net)
    samples.push(sample)
    progress(`ledger ${ledger}: ${megabytes(sample.used)}, resident ${megabytes(sample.resident)}`)
  }
  const [first, last] = [samples.at(0), samples.at(-1)]
  if (!first || !last) throw new Error('no samples')
  const grown = last.used - first.used
  return [
    {
      what:
        `memory of ledger ${LEDGERS.toLocaleString('en-US')} above that of ` +
        `${SETTLED_LEDGER.toLocaleString('en-US')}, ${KEPT_LEDGERS} kept ` +
        `(${megabytes(first.used)} to ${megabytes(last.used)}; ` +
        `resident ${megabytes(first.resident)} to ${megabytes(last.resident)})`,
      target: 'flat',
      figure: megabytes(grown),
      met: grown < TARGET_GROWTH_BYTES,
    },
  ]
}

async function oneLedger(
  net: Localnet,
  { sources, payers, seller }: Awaited<ReturnType<typeof openAccounts>>,
  ledger: number,
): Promise<void> {
  const [one, other] = sources
  const payer = payers[ledger % payers.length]
  if (!one || !other || !payer) throw new Error('no accounts')
  net.submit(paymentEnvelope(net, one, other.address))
  if (ledger % LEDGERS_PER_TRANSFER === 0) {
    net.submit(await transferEnvelope(net, { source: other, payer, seller }))
  }
  const { transactions } = await net.closeLedger()
  if (!transactions.every(({ successful }) => successful)) throw new Error('a payment failed')
}

/** A clock that advances with each ledger. */
class FastClock implements Clock {
  #now = 1_790_000_000_000

  now(): number {
    return this.#now
  }

  pass(ms: number): void {
    this.#now += ms
  }

  sleep(): Promise<void> {
    return Promise.reject(new Error('sleep is not supported'))
  }
}

const collect = collector()

function collector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc')
}

/** Collects twice, because finalizers run between the collections. */
async function takeSample({ host }: Localnet): Promise<Sample> {
  collect()
  await setImmediate()
  collect()
  const { heapUsed, external, rss } = process.memoryUsage()
  return { used: heapUsed + external + host.memoryBytes, resident: rss }
}
