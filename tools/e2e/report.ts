/** Prints the report of the last `make e2e` as the table of docs/reliability.md. */
import { readReport } from '../../test/e2e/support/load/report.ts'

const head = [
  '| Fear | What was done | Payments | Requests | failed | lost | doubled | untrue | Longest wait, s |',
  '| - | - | -: | -: | -: | -: | -: | -: | -: |',
]
const rows = readReport().map(
  ({ fear, done, payments, requests, failed, lost, doubled, untrue, longestMs }) =>
    `| ${[fear, done, payments, requests, failed, lost, doubled, untrue, (longestMs / 1_000).toFixed(1)].join(' | ')} |`,
)
process.stdout.write(`${[...head, ...rows].join('\n')}\n`)
