import type { HelpPage } from '../command-line/help-page.ts'

/** A command for a shell to complete, from the declarations that parse the command line and make the help pages. */
export interface CompletedCommand {
  readonly name: string
  readonly summary: string
  /** Each action with its flags; those of a command that needs none are those of `''`. */
  readonly actions: Readonly<Record<string, readonly CompletedFlag[]>>
}

export interface CompletedFlag {
  /** Without the dashes. */
  readonly name: string
  readonly help: string
  readonly takesValue: boolean
  /** The values that the shell proposes; none means any text, for which it proposes files. */
  readonly values: readonly string[]
}

/** The flag that every command has. */
export const helpFlag: CompletedFlag = {
  name: 'help',
  help: 'says what the command takes',
  takesValue: false,
  values: [],
}

export function completedCommand(summary: string, page: HelpPage): CompletedCommand {
  const flags = Object.entries(page.flags).map(([name, { kind, help, values = [] }]) => ({
    name,
    help: help[0] ?? '',
    takesValue: kind !== 'switch',
    values,
  }))
  const actions = Object.entries(page.actions).map(([action, names]) => [
    action,
    [...flags.filter(({ name }) => names.includes(name)), helpFlag],
  ])
  return {
    name: page.name,
    summary,
    actions: actions.length > 0 ? Object.fromEntries(actions) : { '': [...flags, helpFlag] },
  }
}

/** First words of a command line other than the commands. */
export const otherFirstWords = ['help', '--help', '--version']

/** The flags of all actions, each once. */
export const allFlags = ({ actions }: CompletedCommand): readonly CompletedFlag[] => [
  ...new Map(
    Object.values(actions)
      .flat()
      .map((each) => [each.name, each]),
  ).values(),
]

/** The actions of a command that has some. */
export const actionNames = ({ actions }: CompletedCommand): readonly string[] =>
  Object.keys(actions).filter((action) => action !== '')
