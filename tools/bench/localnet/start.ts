/** Time from the start of the `svc localnet` process to its ready line. */
import { startProgram, svcScript } from '../program.ts'
import { median, quantile } from '../statistics.ts'
import { type Measure, milliseconds } from './measure.ts'

const STARTS = 9
const TARGET_MS = 1_000

export const localnetProgram = () =>
  startProgram({
    name: 'localnet',
    args: [svcScript, 'localnet', '--port', '0', '--close-every', 'manual'],
    isReady: ({ ready }) => ready === true,
  })

export async function measureStart(): Promise<Measure[]> {
  const times: number[] = []
  for (let start = 0; start < STARTS; start++) {
    const before = performance.now()
    await using _localnet = await localnetProgram()
    times.push(performance.now() - before)
  }
  const p50 = median(times)
  return [
    {
      what: `\`svc localnet\` ready, median of ${STARTS} starts (slowest ${milliseconds(quantile(times, 1))})`,
      target: '1 s',
      figure: milliseconds(p50),
      met: p50 < TARGET_MS,
    },
  ]
}
