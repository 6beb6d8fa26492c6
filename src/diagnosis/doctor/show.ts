import { countOf } from '../../platform/core/text/count-of.ts'
import { printable } from '../../platform/core/text/printable.ts'
import type { CheckResult, Section } from './run-checks.ts'

/** A line of JSON for each check; `network` is null for those of the service itself. */
export const asLines = (sections: readonly Section[]): string =>
  sections
    .flatMap(({ network = null, results }) =>
      results.map(({ check, status, says, todo = null }) =>
        JSON.stringify({ network, check, status, says, todo }),
      ),
    )
    .map((line) => `${line}\n`)
    .join('')

/** A table for a terminal; what to do stands below each problem. */
export function asTable(sections: readonly Section[]): string {
  const all = sections.flatMap(({ results }) => results)
  const width = Math.max(...all.map(({ check }) => check.length))
  const blocks = sections.map(({ network = 'The service', results }) =>
    [network, ...results.flatMap((result) => rows(result, width))].join('\n'),
  )
  return `${blocks.join('\n\n')}\n\n${summary(all)}\n`
}

const rows = ({ check, status, says, todo }: CheckResult, width: number): string[] => [
  `  ${status.padEnd('problem'.length)}  ${check.padEnd(width)}  ${printable(says)}`,
  ...(todo === undefined ? [] : [`${' '.repeat(width + 13)}-> ${printable(todo)}`]),
]

function summary(results: readonly CheckResult[]): string {
  const count = (status: CheckResult['status']) =>
    results.filter((result) => result.status === status).length
  const [problems, warnings, skippedOnes] = [count('problem'), count('warning'), count('skipped')]
  if (problems + warnings === 0) return 'No problems.'
  const parts = [countOf(problems, 'problem'), countOf(warnings, 'warning')]
  return `${parts.join(', ')}${skippedOnes > 0 ? `, ${skippedOnes} skipped` : ''}.`
}
