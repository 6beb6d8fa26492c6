/** What one command says of itself; every page has the same parts, in the same order. */
export interface HelpPage {
  readonly name: string
  /** Continues `svc <name>: `. */
  readonly summary: string
  /** A line for each way to call it. */
  readonly usage: readonly string[]
  readonly options: readonly Explained[]
  /** Lines of at most 100 columns. */
  readonly notes: readonly string[]
  readonly environment: readonly Explained[]
  readonly exits: Readonly<Record<number, string>>
  readonly example: string
}

type Explained = readonly [name: string, meaning: string]

/** Of a command line that was not understood, and of a wrong configuration: sysexits.h. */
export const usageExit = { 64: 'the command line was not understood' } as const
export const configExit = { 78: 'the configuration is wrong; every problem is listed' } as const

/** Of every command that reads a configuration and works on the world. */
export const operatorExits = { ...usageExit, ...configExit } as const

export function helpPage(page: HelpPage): string {
  const { name, summary, usage, options, notes, environment, exits, example } = page
  const exitRows = Object.entries(exits).map(([code, meaning]): Explained => [code, meaning])
  const allOptions: readonly Explained[] = [...options, ['--help, -h', 'this page']]
  const width = Math.max(...[...allOptions, ...environment].map(([term]) => term.length))
  return [
    `svc ${name}: ${summary}`,
    indented(usage),
    `Options\n${table(allOptions, width)}`,
    ...(notes.length > 0 ? [indented(notes)] : []),
    `Environment\n${table(environment, width)}`,
    `Exit codes\n${table(exitRows, 2)}`,
    `Example\n${indented([example])}`,
    '',
  ].join('\n\n')
}

const indented = (lines: readonly string[]): string => lines.map((line) => `  ${line}`).join('\n')

const table = (rows: readonly Explained[], width: number): string =>
  indented(rows.map(([term, meaning]) => `${term.padEnd(width)}  ${meaning}`))
