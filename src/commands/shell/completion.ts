import { type Command, command } from '../command-line/command.ts'
import { bashCompletion } from './bash.ts'
import { fishCompletion } from './fish.ts'
import { completedCommand } from './words.ts'
import { zshCompletion } from './zsh.ts'

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion }

interface Listed {
  readonly summary: string
  readonly load: () => Promise<Command>
}

/** @param listed every command, this one included */
export const completionOf = (listed: Readonly<Record<string, Listed>>): Command =>
  command({
    name: 'completion',
    summary: 'prints a script that makes a shell complete commands, flags and their values',
    usage: ['svc completion bash', 'svc completion zsh', 'svc completion fish'],
    actions: { bash: [], zsh: [], fish: [] },
    notes: [
      'The shell completes the word svc, so svc has to be on the PATH. To keep it:',
      '',
      '  bash  svc completion bash > ~/.local/share/bash-completion/completions/svc',
      '  zsh   svc completion zsh > "$fpath[1]/_svc"',
      '  fish  svc completion fish > ~/.config/fish/completions/svc.fish',
    ],
    exits: { 0: 'done' },
    example: 'eval "$(svc completion bash)"',
    run: async ({ action }) => {
      const commands = await Promise.all(
        Object.values(listed).map(async ({ summary, load }) =>
          completedCommand(summary, (await load()).page),
        ),
      )
      process.stdout.write(scripts[action](commands))
      return 0
    },
  })
