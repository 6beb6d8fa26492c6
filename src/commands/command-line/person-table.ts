import { printable } from '../../platform/core/text/printable.ts'

/** A term and what is said of it. */
export type Row = readonly [term: string, text: string]

/** A title with indented rows below, for a terminal. */
export function personTable(title: string, rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([term]) => term.length))
  const lines = rows.map(([term, text]) => `  ${term.padEnd(width)}  ${printable(text)}`)
  return `${[title, ...lines].join('\n')}\n`
}
