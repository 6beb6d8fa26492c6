/** The embedded network in tests: from the start to the first payment; snapshot, restore and travel. */
import { fileURLToPath } from 'node:url'
import { startLocalnet } from '../../../src/package/localnet.ts'
import { startProgram } from '../program.ts'
import { median, quantile } from '../statistics.ts'
import { type Measure, milliseconds } from './measure.ts'

const STARTS = 9
const ROUNDS = 50
const ACCOUNTS = 1_000
/** A millisecond for each would be noticed in a test that restores before each of a hundred cases. */
const TARGET_MS = 10
const TARGET_START_MS = 1_000
const MONTH_SECONDS = 30 * 86_400

const program = fileURLToPath(new URL('embedded-payment.ts', import.meta.url))

export async function measureEmbedded(progress: (line: string) => void): Promise<Measure[]> {
  return [...(await measureFirstPayment()), ...(await measureSnapshots(progress))]
}

async function measureFirstPayment(): Promise<Measure[]> {
  const [whole, own]: [number[], number[]] = [[], []]
  for (let start = 0; start < STARTS; start++) {
    const before = performance.now()
    await using paid = await startProgram({
      name: 'payment',
      args: [program],
      isReady: ({ status }) => status === 'SUCCESS',
    })
    whole.push(performance.now() - before)
    own.push(Number(paid.ready['paidAfterMs']))
  }
  const p50 = median(whole)
  return [
    {
      what: `a test program's first payment after the start of its process, median of ${STARTS} (slowest ${milliseconds(quantile(whole, 1))}; of it after \`startLocalnet()\` was called ${milliseconds(median(own))})`,
      target: '1 s',
      figure: milliseconds(p50),
      met: p50 < TARGET_START_MS,
    },
  ]
}

async function measureSnapshots(progress: (line: string) => void): Promise<Measure[]> {
  await using net = await startLocalnet()
  progress(`funding ${ACCOUNTS} accounts`)
  for (let account = 0; account < ACCOUNTS; account++) await net.fund({ USDC: '1' })
  const times = { snapshot: [] as number[], restore: [] as number[], travel: [] as number[] }
  const timed = async <T>(into: number[], work: () => Promise<T>): Promise<T> => {
    const before = performance.now()
    const result = await work()
    into.push(performance.now() - before)
    return result
  }
  for (let round = 0; round < ROUNDS; round++) {
    const snapshot = await timed(times.snapshot, () => net.snapshot())
    await net.fund()
    await timed(times.travel, () => net.travel(MONTH_SECONDS))
    await timed(times.restore, () => net.restore(snapshot))
  }
  const names = {
    snapshot: `snapshot of ${ACCOUNTS} accounts and ${ACCOUNTS} ledgers`,
    restore: 'restoring it after a payment and a month',
    travel: 'travelling a month',
  }
  return Object.entries(times).map(([name, samples]) => ({
    what: `${names[name as keyof typeof names]}, median of ${ROUNDS} (95th percentile ${milliseconds(quantile(samples, 0.95))})`,
    target: `${TARGET_MS} ms`,
    figure: milliseconds(median(samples)),
    met: median(samples) < TARGET_MS,
  }))
}
