#!/usr/bin/env -S node --max-semi-space-size=8
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { didYouMean } from '../core/nearest-word.ts'
import { endUntilHeard } from './command/end-until-heard.ts'
import { EX_UNAVAILABLE, EX_USAGE } from './command/exit-codes.ts'
import { exitOfSignal } from './command/stop-signals.ts'
import { commands, commandsHere, isHere } from './commands.ts'

/*
 * `svc <command>`: finds the command, runs it, exits with its code. bin/svc starts this with the right
 * Node and its options. It is executable itself as well, because npx keeps its link to an earlier bin.
 */

const usage = [
  'svc <command> [options]',
  '',
  ...Object.entries(commandsHere).map(([name, { summary }]) => `  ${name.padEnd(13)}${summary}`),
  '',
  'svc <command> --help says more about one of them.',
  '',
].join('\n')

/** Other names of a command. */
const aliases: Readonly<Record<string, string>> = { '--version': 'version', '-v': 'version' }

async function main([name, ...args]: readonly string[]): Promise<number> {
  if (name === undefined) return refuse(`svc: a command is missing\n\n${usage}`)
  if (name === 'help' && args.length > 0) return main([...args, '--help'])
  if (name === '--help' || name === '-h' || name === 'help') {
    if (args.length > 0)
      return refuse(`svc ${name} takes no argument: svc help ${args.join(' ')}\n`)
    process.stdout.write(usage)
    return 0
  }
  const known = Object.hasOwn(aliases, name) ? aliases[name]! : name
  const entry = Object.hasOwn(commands, known) ? commands[known] : undefined
  if (entry === undefined) return refuse(unknown(name))
  if (!isHere(entry)) {
    process.stderr.write(
      `svc ${name} is not in this image, which leaves development tools out. ` +
        'Run it in a clone of the project.\n',
    )
    return EX_UNAVAILABLE
  }
  let ended: number | undefined
  endUntilHeard(process, (signal) => {
    if (ended === undefined) process.stderr.write(`svc ${name}: ${signal} came before it began\n`)
    process.exit(ended ?? exitOfSignal(signal))
  })
  const command = await entry.load()
  ended = await command(args)
  return ended
}

const MAX_WAIT_FOR_READER_MS = 5_000

function refuse(text: string): number {
  process.stderr.write(text)
  return EX_USAGE
}

function unknown(name: string): string {
  const nearest = didYouMean(name, [...Object.keys(commandsHere), 'help', ...Object.keys(aliases)])
  const problem = `svc: no command "${name}"${nearest}`
  return nearest ? `${problem}\nsvc --help lists the commands.\n` : `${problem}\n\n${usage}`
}

// Compiled code is kept between runs: a start takes half the time and 25 MB less (docs/performance.md).
// The folder is beside the code, not among temporary files, where any user could plant code. Where it
// cannot be written this does nothing; NODE_COMPILE_CACHE wins.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/svc', import.meta.url)))

// Does not wait for the event loop to drain: a command that has returned has closed what it opened.
const code = await main(process.argv.slice(2))
// The rest of the output would be lost in a pipe whose reader is slow. But a reader that has stopped reading must not keep
// an operator alive that has lost its lease.
await new Promise<void>((resolve) => {
  process.stdout.once('error', () => resolve())
  process.stdout.write('', () => resolve())
  setTimeout(resolve, MAX_WAIT_FOR_READER_MS)
})
process.exit(code)
