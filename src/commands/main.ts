/** Finds the command of a command line, and runs it. */
import { didYouMean } from '../platform/core/text/nearest-word.ts'
import { EX_UNAVAILABLE, EX_USAGE } from '../service/process/exit-codes.ts'
import { commands, commandsHere, isHere } from './commands.ts'

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

/**
 * Runs the command that `argv` names. @param argv what stands after `svc` @returns the exit code
 */
export async function main([name, ...args]: readonly string[]): Promise<number> {
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
  const command = await entry.load()
  return command(args)
}

function refuse(text: string): number {
  process.stderr.write(text)
  return EX_USAGE
}

function unknown(name: string): string {
  const nearest = didYouMean(name, [...Object.keys(commandsHere), 'help', ...Object.keys(aliases)])
  const problem = `svc: no command "${name}"${nearest}`
  return nearest ? `${problem}\nsvc --help lists the commands.\n` : `${problem}\n\n${usage}`
}
