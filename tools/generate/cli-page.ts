import {
  type Explained,
  type HelpPage,
  typedFlag,
} from '../../src/commands/command-line/help-page.ts'
import { commands } from '../../src/commands/commands.ts'
import { exitCodes } from '../../src/service/process/exit-codes.ts'

const pages: readonly HelpPage[] = await Promise.all(
  Object.values(commands).map(async ({ load }) => (await load()).page),
)

export const cliPage = (made: string): string =>
  `${[
    '# Command line',
    made,
    'With this page you can look up every command of `svc`, its flags and its exit codes. `svc <command> --help` prints the same.',
    '## How to type svc',
    [
      'The executable is `bin/svc`. It needs Node 24: an older one runs the Node 24 that `npm ci` put into `node_modules`. In a clone, put',
      'the executable on the path, then `svc` is a command in every folder:',
    ].join('\n'),
    ['```sh', 'export PATH="$PWD/bin:$PATH"', 'svc --version', '```'].join('\n'),
    [
      'Without that, `npm run --silent svc -- status` runs `svc status` in any folder of the clone; npm starts it in the top folder, so',
      'relative paths such as that of `--out` count from there. In the container image `svc` is on the path:',
      '`kubectl exec deploy/NAME -- svc status`. The image leaves out the commands for development: `localnet`, `demo` and `pay`.',
      'Do not type `npx svc`: outside the clone it downloads a package of that name that is not this project.',
    ].join('\n'),
    'The command line is strict. An unknown command, flag or value, a superfluous argument and a flag that is given twice are refused before anything is done, with the nearest word that exists.',
    '## Exit codes',
    table(['Code', 'Meaning'], Object.entries(exitCodes)),
    'A process that a signal ends has 128 plus the number of the signal.',
    '## Completion',
    'A shell with this completes commands, actions, flags, and the values of flags such as `--network`. For the running bash:',
    ['```sh', 'eval "$(svc completion bash)"', '```'].join('\n'),
    table(
      ['Shell', 'To keep it'],
      [
        ['bash', '`svc completion bash > ~/.local/share/bash-completion/completions/svc`'],
        ['zsh', '`svc completion zsh > "$fpath[1]/_svc"`'],
        ['fish', '`svc completion fish > ~/.config/fish/completions/svc.fish`'],
      ],
    ),
    ...pages.flatMap(sectionOf),
  ].join('\n\n')}\n`

function sectionOf(page: HelpPage): string[] {
  const { name, summary, usage, flags, notes, env, exits, example } = page
  const flagRows = Object.entries(flags).map(([flag, declared]) => [
    code(typedFlag(flag, declared)),
    declared.fallback === undefined ? '' : code(declared.fallback),
    declared.help.join(' '),
  ])
  const envRows = env.filter(([variable]) => variable !== 'nothing')
  return [
    `## svc ${name}`,
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    ['```text', ...usage, '```'].join('\n'),
    ...(flagRows.length > 0 ? [table(['Flag', 'Default', 'Meaning'], flagRows)] : []),
    ...(notes.length > 0 ? [['```text', ...notes, '```'].join('\n')] : []),
    ...(envRows.length > 0 ? [table(['Variable', 'Meaning'], envRows.map(coded))] : []),
    table(['Exit', 'Meaning'], Object.entries(exits)),
    `Example: ${code(example)}`,
  ]
}

const coded = ([variable, meaning]: Explained): readonly string[] => [code(variable), meaning]
const code = (text: string): string => `\`${text}\``

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '-'), ...rows].map(row).join('\n')

const row = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
