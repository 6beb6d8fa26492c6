import { actionNames, type CompletedCommand, type CompletedFlag } from './words.ts'

/** A script for fish 3 and newer. */
export function fishCompletion(commands: readonly CompletedCommand[]): string {
  return `${[
    '# Completion of svc for fish; made by: svc completion fish',
    'complete -c svc -e',
    "complete -c svc -n __fish_use_subcommand -l help -d 'lists the commands'",
    "complete -c svc -n __fish_use_subcommand -l version -d 'prints the version'",
    ...commands.flatMap(linesOf),
  ].join('\n')}\n`
}

function linesOf(command: CompletedCommand): string[] {
  const { name, summary, actions } = command
  const seen = `__fish_seen_subcommand_from ${name}`
  const names = actionNames(command)
  const choose = `${seen}; and not __fish_seen_subcommand_from ${names.join(' ')}`
  return [
    `complete -c svc -f -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ...names.map((action) => `complete -c svc -f -n ${quoted(choose)} -a ${action}`),
    ...Object.entries(actions).flatMap(([action, flags]) => {
      const alone = names.length > 0 ? choose : seen
      const where = action === '' ? alone : `${seen}; and __fish_seen_subcommand_from ${action}`
      return flags.map((flag) => flagLine(where, flag))
    }),
  ]
}

function flagLine(where: string, { name, help, takesValue, values }: CompletedFlag): string {
  const line = `complete -c svc -n ${quoted(where)} -l ${name} -d ${quoted(help)}`
  if (!takesValue) return line
  return values.length > 0 ? `${line} -x -a ${quoted(values.join(' '))}` : `${line} -r`
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
