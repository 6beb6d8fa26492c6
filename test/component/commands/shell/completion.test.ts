import { execFile, execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { HelpPage } from '../../../../src/commands/command-line/help-page.ts'
import { commands } from '../../../../src/commands/commands.ts'
import { runHere } from '../run-here.ts'

/* The scripts of `svc completion`, in the shells themselves. */

const run = promisify(execFile)
const shells = ['bash', 'zsh', 'fish'] as const
const scripts: Record<string, string> = {}
let folder: string
let pages: readonly HelpPage[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-completion-'))
  pages = await Promise.all(Object.values(commands).map(async ({ load }) => (await load()).page))
  for (const shell of shells) {
    const { out } = await runHere({}, 'completion', shell)
    scripts[shell] = out
    await writeFile(join(folder, shell), out)
  }
})

afterAll(() => rm(folder, { recursive: true, force: true }))

/** Why a shell cannot be tried here; undefined when it can. */
function missing(shell: string): string | undefined {
  try {
    execFileSync(shell, ['-c', 'exit 0'], { stdio: 'ignore' })
    return undefined
  } catch {
    return `${shell} is not installed`
  }
}

/** What bash proposes for each line with the cursor at its end. */
async function proposals(lines: readonly string[]): Promise<string[][]> {
  const program = [
    `source ${join(folder, 'bash')}`,
    "COMP_WORDBREAKS=$' \\t\\n\"\\'><=;|&(:'",
    `for line; do (COMP_LINE="$line" COMP_POINT=\${#line}`,
    '_svc',
    `printf '%s\\n' "\${COMPREPLY[@]}"`,
    'complete -p svc) done',
  ]
  const args = ['--norc', '-c', program.join('\n'), 'bash', ...lines]
  const { stdout, stderr } = await run('bash', args)
  expect(stderr).toBe('')
  const each = stdout.split('complete -o default -F _svc svc\n')
  expect(each.pop()).toBe('')
  return each.map((words) => words.split('\n').filter((word) => word !== ''))
}

describe('bash', () => {
  test('proposes what may follow', async () => {
    const expected = [
      { line: 'svc st', words: ['status', 'statement'] },
      { line: 'svc help do', words: ['doctor'] },
      { line: 'svc --v', words: ['--version'] },
      { line: 'svc settlements ', words: ['list', 'show', 'resolve', '--help'] },
      { line: 'svc settlements list --', words: ['--only', '--network', '--limit', '--help'] },
      { line: 'svc settlements show --', words: ['--help'] },
      { line: 'svc settlements list --only un', words: ['unfinished', 'unresolvable'] },
      { line: 'svc pay s', words: ['status'] },
      { line: 'svc pay status --', words: ['--rpc', '--json', '--dir', '--help'] },
      { line: 'svc pay http://x --qu', words: ['--quote'] },
      { line: 'svc migrate --c', words: ['--check'] },
      { line: 'svc doctor --network ', words: ['stellar:testnet', 'stellar:pubnet'] },
      // bash has split the word at the colon, and replaces only what follows it.
      { line: 'svc doctor --network stellar:t', words: ['testnet'] },
      { line: 'svc doctor --network=stellar:p', words: ['pubnet'] },
      { line: 'svc localnet --limits n', words: ['none'] },
      { line: 'svc completion ', words: ['bash', 'zsh', 'fish', '--help'] },
      // Nothing of its own: bash proposes files.
      { line: 'svc localnet --state /t', words: [] },
      { line: 'svc nothing ', words: [] },
    ]
    const lines = expected.map(({ line }) => line)
    const proposed = await proposals(lines)
    expect(lines.map((line, index) => ({ line, words: proposed[index] }))).toEqual(expected)
  })

  test('proposes every command', async () => {
    expect(await proposals(['svc '])).toEqual([
      [...Object.keys(commands), 'help', '--help', '--version'],
    ])
  })

  test('proposes every flag of every command and action', async () => {
    const flagsOf = Object.fromEntries(
      pages.flatMap(({ name, actions, flags }) => {
        const own = Object.entries(actions)
        return own.length > 0
          ? own.map(([action, names]) => [`svc ${name} ${action} --`, names])
          : [[`svc ${name} --`, Object.keys(flags)]]
      }),
    ) as Record<string, readonly string[]>
    const proposed = await proposals(Object.keys(flagsOf))
    for (const [index, [line, names]] of Object.entries(flagsOf).entries()) {
      expect([line, proposed[index]?.toSorted()]).toEqual([
        line,
        [...names.map((flag) => `--${flag}`), '--help'].toSorted(),
      ])
    }
  })
})

test('the commands of docs/cli.md work as they stand there', async () => {
  const page = await readFile('docs/cli.md', 'utf8')
  const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block)
  expect(blocks.length).toBe(2)
  const program = [...blocks, 'complete -p svc'].join('\n')
  const { stdout, stderr } = await run('bash', ['--norc', '-e', '-c', program])
  expect(stderr).toBe('')
  expect(stdout).toMatch(/^svc \d\S*, Node \S+\ncomplete -o default -F _svc svc\n$/)
})

describe.each(shells)('the script for %s', (shell) => {
  test('is understood by the shell', async ({ skip }) => {
    const reason = missing(shell)
    if (reason !== undefined) return skip(reason)
    await run(shell, ['-n', join(folder, shell)])
  })

  test('has every command, action, flag and value', () => {
    for (const { name, actions, flags } of pages) {
      const words = [name, ...Object.keys(actions), ...Object.keys(flags)]
      const values = Object.values(flags).flatMap((each) => each.values ?? [])
      for (const word of [...words, ...values]) expect(scripts[shell]).toContain(word)
    }
  })
})

test('zsh completes a command', async ({ skip }) => {
  const reason = missing('zsh')
  if (reason !== undefined) return skip(reason)
  const program = `autoload -U compinit; compinit -u -d ${join(folder, 'dump')}; source ${join(folder, 'zsh')}; print $_comps[svc]`
  const { stdout } = await run('zsh', ['-f', '-c', program])
  expect(stdout).toBe('_svc\n')
})

test('fish completes a command', async ({ skip }) => {
  const reason = missing('fish')
  if (reason !== undefined) return skip(reason)
  const program = `source ${join(folder, 'fish')}; complete -C 'svc stat'`
  const { stdout } = await run('fish', ['--no-config', '-c', program])
  expect(stdout).toMatch(/^status\t/)
})
