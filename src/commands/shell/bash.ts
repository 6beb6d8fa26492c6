import {
  actionNames,
  allFlags,
  type CompletedCommand,
  type CompletedFlag,
  helpFlag,
  otherFirstWords,
} from './words.ts'

/** A script for bash 3.2 and newer. */
export function bashCompletion(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name }) => name)
  return `# Completion of svc for bash; made by: svc completion bash
_svc() {
  # Bash itself splits words at colons and equal signs, which networks and flags hold.
  local line="\${COMP_LINE:0:COMP_POINT}" words="" word previous
  local -a typed
  read -ra typed <<<"$line"
  case "$line" in *[[:space:]]) typed+=("") ;; esac
  word="\${typed[\${#typed[@]}-1]}"
  previous="\${typed[\${#typed[@]}-2]}"
  case "$word" in --*=*) previous="\${word%%=*}"; word="\${word#*=}" ;; esac
  COMPREPLY=()
  if [ "\${#typed[@]}" -le 2 ]; then
    words="${[...names, ...otherFirstWords].join(' ')}"
  else
    case "\${typed[1]}" in
      help) words="${names.join(' ')}" ;;
${commands.map(commandCase).join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  case "$word" in
    *:*) case "$COMP_WORDBREAKS" in *:*) COMPREPLY=("\${COMPREPLY[@]#"\${word%"\${word##*:}"}"}") ;; esac ;;
  esac
}
complete -o default -F _svc svc
`
}

function commandCase(command: CompletedCommand): string {
  const flags = allFlags(command)
  const valued = flags.filter(({ takesValue }) => takesValue)
  const cases = [
    ...valued.map(({ name, values }) =>
      // Without words bash proposes files.
      values.length > 0 ? `--${name}) words="${values.join(' ')}" ;;` : `--${name}) return ;;`,
    ),
    `*) ${wordsOf(command)} ;;`,
  ]
  return `      ${command.name})
        case "$previous" in
${cases.map((each) => `          ${each}`).join('\n')}
        esac ;;`
}

function wordsOf(command: CompletedCommand): string {
  const names = actionNames(command)
  if (names.length === 0) return `words="${typedFlags(allFlags(command))}"`
  const cases = names.map(
    (action) => `${action}) words="${typedFlags(command.actions[action] ?? [])}" ;;`,
  )
  // Where no action is needed, the flags stand there as well.
  const others = typedFlags(command.actions[''] ?? [helpFlag])
  const first = `[ "\${#typed[@]}" -le 3 ] && words="${names.join(' ')} ${others}"`
  return `case "\${typed[2]}" in ${cases.join(' ')} *) words="${others}" ;; esac
            ${first}`
}

const typedFlags = (flags: readonly CompletedFlag[]): string =>
  flags.map(({ name }) => `--${name}`).join(' ')
