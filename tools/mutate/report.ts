import type { Mutant } from './mutants.ts'
import { mutatedModules } from './sources.ts'

export interface Result {
  readonly mutant: Mutant
  /** `unreached`: no test runs the code; `timed out`: no test failed but by its time limit. */
  readonly end: 'killed' | 'timed out' | 'survived' | 'unreached'
}

/** A table of the score by module, and each mutant that no test noticed. */
export function report(results: readonly Result[]): string {
  const rows = mutatedModules.map((module) =>
    row(
      `src/${module}`,
      results.filter(({ mutant }) => mutant.file.startsWith(`src/${module}/`)),
    ),
  )
  const unnoticed = results
    .filter(({ end }) => end !== 'killed')
    .map(
      ({ mutant: { file, line, kind, code }, end }) => `${end}: ${file}:${line} ${kind}: ${code}`,
    )
  return [
    ...unnoticed,
    '',
    '| Module | Mutants | Killed | Timed out | Survived | Unreached | Score |',
    '| - | - | - | - | - | - | - |',
    ...rows,
    row('all', results),
  ].join('\n')
}

function row(name: string, results: readonly Result[]): string {
  const count = (end: Result['end']) => results.filter((result) => result.end === end).length
  const killed = count('killed')
  const score = results.length === 0 ? '' : `${((100 * killed) / results.length).toFixed(1)} %`
  return `| ${name} | ${results.length} | ${killed} | ${count('timed out')} | ${count('survived')} | ${count('unreached')} | ${score} |`
}
