import type { Count } from './count.ts'

/** A count as Markdown. */
export function shownCount(count: Count): readonly string[] {
  const { faults, kills, usage, fees, sayings, isClean: _, ...numbers } = count
  const failed = Object.entries(faults).flatMap(([between, counts]) =>
    [...counts].map(([fault, times]) => `| ${between} | ${fault} | ${times} |`),
  )
  return [
    `| ${Object.keys(numbers).join(' | ')} |`,
    `|${Object.keys(numbers)
      .map(() => ' -: |')
      .join('')}`,
    `| ${Object.values(numbers).join(' | ')} |`,
    '',
    `Settled by the counts of usage: ${usage.counted} of ${usage.made} base units; fees by the budget: ${fees.counted} of ${fees.charged} stroops.`,
    `Killed: ${[...kills].map(([name, times]) => `${name} ${times}`).join(', ')}.`,
    '',
    '| Requests | Fault | Times |',
    '| - | - | -: |',
    ...failed,
    ...sayings.slice(0, 20).map((each) => `\n${each}`),
  ]
}
