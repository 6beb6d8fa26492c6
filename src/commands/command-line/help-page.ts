import type { Flag, Flags } from './flags.ts'
import { wrap, wrapParagraphs } from './wrap.ts'

/** Columns of a terminal of the usual size. */
const COLUMNS = 80
const INDENT = 2

export type Explained = readonly [term: string, meaning: string]

/** The help page of a command. Every page has the same parts in the same order. */
export interface HelpPage {
  /** Name of the command, as typed after `svc`. */
  readonly name: string
  /** Continues `svc <name>: `. */
  readonly summary: string
  /** A line for each way to call it. */
  readonly usage: readonly string[]
  /** Allowed first arguments, each with the names of the flags that it takes. */
  readonly actions: Readonly<Record<string, readonly string[]>>
  readonly flags: Flags
  /** Lines of at most 100 columns; a terminal gets them at 80, apart from tables. */
  readonly notes: readonly string[]
  /** The most important environment variables. */
  readonly env: readonly Explained[]
  /** The meaning of each exit code. */
  readonly exits: Readonly<Record<number, string>>
  readonly example: string
}

export function helpPage(page: HelpPage): string {
  const { name, summary, usage, flags, notes, env, exits, example } = page
  const options = [...Object.entries(flags).map(rowOf), ['--help, -h', 'this page'] as const]
  const exitRows = Object.entries(exits).map(([code, meaning]): Explained => [code, meaning])
  return [
    `svc ${name}: ${summary}`,
    indented(usage),
    `Options\n${table(options)}`,
    ...(notes.length > 0 ? [indented(wrapParagraphs(notes, COLUMNS - INDENT))] : []),
    `Environment\n${table(env)}`,
    `Exit codes\n${table(exitRows)}`,
    `Example\n${indented([example])}`,
    '',
  ].join('\n\n')
}

/** The flag as a person types it: `--count N`, `--namespace NAME, -n`. */
export const typedFlag = (name: string, { shows, short }: Flag<unknown>): string =>
  `${`--${name} ${shows}`.trimEnd()}${short === undefined ? '' : `, -${short}`}`

/** The row of a flag: its purpose and its default. */
const rowOf = ([name, declared]: readonly [string, Flags[string]]): Explained => {
  const { help, fallback } = declared
  const shown = fallback === undefined ? [] : [`(default: ${fallback})`]
  return [typedFlag(name, declared), [...help, ...shown].join(' ')]
}

const indented = (lines: readonly string[]): string =>
  lines.map((line) => `${' '.repeat(INDENT)}${line}`.trimEnd()).join('\n')

function table(rows: readonly Explained[]): string {
  const width = Math.max(...rows.map(([term]) => term.length))
  return indented(
    rows.flatMap(([term, meaning]) =>
      wrap(meaning, COLUMNS - INDENT - width - 2).map(
        (line, index) => `${(index === 0 ? term : '').padEnd(width)}  ${line}`,
      ),
    ),
  )
}
