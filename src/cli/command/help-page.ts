import type { Flags } from './flags.ts'

export type Explained = readonly [term: string, meaning: string]

/** What the help page of a command says. Every page has the same parts in the same order. */
export interface HelpPage {
  /** As typed after `svc`. */
  readonly name: string
  /** Continues `svc <name>: `. */
  readonly summary: string
  /** A line for each way to call it. */
  readonly usage: readonly string[]
  readonly flags: Flags
  /** Lines of at most 100 columns. */
  readonly notes: readonly string[]
  /** The most important environment variables. */
  readonly env: readonly Explained[]
  /** What each exit code means. */
  readonly exits: Readonly<Record<number, string>>
  readonly example: string
}

export function helpPage(page: HelpPage): string {
  const { name, summary, usage, flags, notes, env, exits, example } = page
  const options = [...Object.entries(flags).flatMap(rowsOf), ['--help, -h', 'this page'] as const]
  const exitRows = Object.entries(exits).map(([code, meaning]): Explained => [code, meaning])
  const width = Math.max(...[...options, ...env].map(([term]) => term.length))
  return [
    `svc ${name}: ${summary}`,
    indented(usage),
    `Options\n${table(options, width)}`,
    ...(notes.length > 0 ? [indented(notes)] : []),
    `Environment\n${table(env, width)}`,
    `Exit codes\n${table(exitRows, 2)}`,
    `Example\n${indented([example])}`,
    '',
  ].join('\n\n')
}

const rowsOf = ([name, { shows, help }]: readonly [string, Flags[string]]): Explained[] =>
  help.map((line, index) => [index === 0 ? `--${name} ${shows}`.trimEnd() : '', line])

const indented = (lines: readonly string[]): string => lines.map((line) => `  ${line}`).join('\n')

const table = (rows: readonly Explained[], width: number): string =>
  indented(rows.map(([term, meaning]) => `${term.padEnd(width)}  ${meaning}`))
