import { actionNames, allFlags, type CompletedCommand, type CompletedFlag } from './words.ts'

/** A script for zsh with compinit; also a file named `_svc` in a folder of `$fpath`. */
export function zshCompletion(commands: readonly CompletedCommand[]): string {
  const described = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`)
  return `#compdef svc
# Completion of svc for zsh; made by: svc completion zsh
_svc() {
  local -a commands
  commands=(
${described.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    compadd -- help --help --version
    return
  fi
  case "$words[2]" in
    help) _describe command commands ;;
${commands.map(commandCase).join('\n')}
  esac
}
if [ "$funcstack[1]" = "_svc" ]; then _svc "$@"; else compdef _svc svc; fi
`
}

function commandCase(command: CompletedCommand): string {
  const valued = allFlags(command).filter(({ takesValue }) => takesValue)
  const names = actionNames(command)
  const cases = [
    ...valued.map(({ name, values }) =>
      values.length > 0
        ? `--${name}) compadd -- ${values.map(quoted).join(' ')} ;;`
        : `--${name}) _files ;;`,
    ),
    `*) ${names.length > 0 ? actionsOf(command, names) : added(allFlags(command))} ;;`,
  ]
  return `    ${command.name})
      case "$words[CURRENT-1]" in
${cases.map((each) => `        ${each}`).join('\n')}
      esac ;;`
}

function actionsOf({ actions }: CompletedCommand, names: readonly string[]): string {
  const { '': others } = actions
  const cases = names.map((action) => `${action}) ${added(actions[action] ?? [])} ;;`)
  if (others) cases.push(`*) ${added(others)} ;;`)
  const first = `compadd -- ${names.join(' ')}${others ? `; ${added(others)}` : ' --help'}`
  return `if (( CURRENT == 3 )); then ${first}; else
          case "$words[3]" in ${cases.join(' ')} esac
        fi`
}

const added = (flags: readonly CompletedFlag[]): string =>
  `compadd -- ${flags.map(({ name }) => `--${name}`).join(' ')}; _files`

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
