/** Checks a log of the sidecar and prints its totals. Usage: node verify-log.ts FILE */
import { readLog } from './log/read-log.ts'

const [, , file] = process.argv
if (file === undefined) {
  console.error('usage: node verify-log.ts FILE')
  process.exit(78)
}

const STROOPS_PER_XLM = 10_000_000n

/** As people write it: 1.5 XLM. */
function xlm(stroops: bigint): string {
  const part = String(stroops % STROOPS_PER_XLM).padStart(7, '0')
  return `${stroops / STROOPS_PER_XLM}.${part} XLM`
}

try {
  const { chain, tornBytes } = await readLog(file)
  const { seq, previous, time, sums } = chain.end
  console.log(`lines            ${seq}`)
  console.log(`last line        ${seq > 0 ? new Date(time).toISOString() : 'none'}`)
  console.log(`hash of it       ${previous}`)
  console.log(`fees at most     ${xlm(sums.fee)}`)
  console.log(`to recipients    ${xlm(sums.xlm)}, and ${sums.sweeps} whole balances`)
  console.log(`new accounts     ${sums.accounts}`)
  if (tornBytes > 0) console.log(`torn line        ${tornBytes} bytes after the last line`)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
