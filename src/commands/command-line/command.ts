import { printable } from '../../platform/core/text/printable.ts'
import { isLastingRefusal } from '../../platform/database/postgres/unavailable.ts'
import { EX_USAGE } from '../../service/process/exit-codes.ts'
import {
  endOnSignals,
  listenForStop,
  type StopSignals,
} from '../../service/process/stop-signals.ts'
import { ConfigError, EX_CONFIG } from '../../settings/parser/config-error.ts'
import type { Variables } from '../../settings/parser/environment.ts'
import { chosenAction } from './actions.ts'
import type { Flags, FlagValues } from './flags.ts'
import { type Explained, type HelpPage, helpPage } from './help-page.ts'
import { readCommandLine } from './read-command-line.ts'
import { UsageError } from './usage-error.ts'

/** One command of `svc`: what it reads, what its help page says, and what it does. */
export interface CommandDeclaration<Declared extends Flags, Action extends string, Words, Config> {
  /** Name of the command, as typed after `svc`. */
  readonly name: string
  /** Continues `svc <name>: ` on the help page. */
  readonly summary: string
  /** A line for each way to call it. @default `svc <name>` */
  readonly usage?: readonly string[]
  readonly flags?: Declared
  /**
   * Allowed first arguments, each with the flags that it takes; with `''` the first argument may also be any other, or missing.
   * @default none
   */
  readonly actions?: Readonly<Record<Action, readonly (keyof Declared & string)[]>>
  /** The action when there is no argument. @default there must be one */
  readonly defaultAction?: NoInfer<Action>
  /**
   * Reads the arguments that belong to no flag, without the action; throws UsageError.
   * @default there may be none
   */
  readonly positionals?: (
    words: readonly string[],
    flags: FlagValues<Declared>,
    action: Action,
  ) => Words | Promise<Words>
  /** More lines of the help page, of at most 100 columns. */
  readonly notes?: readonly string[]
  /** Environment variables on the help page. @default none is read */
  readonly env?: readonly Explained[]
  /** Its exit codes, without those that every command has: 64, and 78 when it has a `config`. */
  readonly exits: Readonly<Record<number, string>>
  readonly example: string
  /** Reads the configuration; throws ConfigError. */
  readonly config?: (
    variables: Variables,
    flags: FlagValues<Declared>,
    action: Action,
  ) => Config | Promise<Config>
  /**
   * Whether `run` ends by itself once `stop` aborts. Without it SIGTERM and SIGINT end the process
   * at once, and `stop` never aborts.
   */
  readonly handlesStop?: boolean
  /**
   * The sentence for an error that was to be expected: it is printed, and the exit code is 1, or 78 when the
   * database refuses what the configuration says.
   */
  readonly explain?: (error: unknown) => string | undefined
  /** With `--json`, the line on standard output for a command line that was not understood. @default none */
  readonly usageFailure?: (message: string) => object
  /** Does the work. @returns the exit code */
  readonly run: (input: Input<Declared, Action, Words, Config>) => Promise<number>
}

interface Input<Declared extends Flags, Action extends string, Words, Config> {
  readonly action: Action
  readonly flags: FlagValues<Declared>
  readonly positionals: Words
  readonly config: Config
  readonly stop: AbortSignal
  /** Only for a command that `handlesStop`. */
  readonly stopAtOnce: StopSignals['stopAtOnce']
}

export interface Command {
  /** Runs it with the arguments after its name. @returns the exit code of the process */
  (args: readonly string[]): Promise<number>
  /** Source of the documentation and of the shells' completion. */
  readonly page: HelpPage
}

const usageExit = { [EX_USAGE]: 'the command line was not understood' }
const configExit = {
  [EX_CONFIG]: 'the configuration is wrong, or the database refuses what it says',
}

/**
 * Makes a command of its declaration. Reads the command line, then the configuration, and only then
 * runs; a problem with either is explained on standard error. Throws only what nothing expects.
 */
export function command<
  const Declared extends Flags = Record<never, never>,
  const Action extends string = never,
  Words = undefined,
  Config = undefined,
>(declaration: CommandDeclaration<Declared, Action, Words, Config>): Command {
  const { name, explain } = declaration
  const page = pageOf(declaration)
  const run = async (args: readonly string[]) => {
    try {
      return await runCommand(declaration, page, args)
    } catch (error) {
      if (error instanceof UsageError) {
        const problems = error.problems.map(withoutSeed)
        if (declaration.usageFailure && args.includes('--json')) {
          const line = declaration.usageFailure(problems.join('; '))
          process.stdout.write(`${JSON.stringify(line)}\n`)
        }
        return explainUsage(name, problems)
      }
      if (error instanceof ConfigError) {
        process.stderr.write(`${withoutSeed(error.message)}\n`)
        return EX_CONFIG
      }
      const sentence = explain?.(error)
      if (sentence === undefined) throw error
      process.stderr.write(`svc ${name}: ${sentence}\n`)
      return isLastingRefusal(error) ? EX_CONFIG : 1
    }
  }
  return Object.assign(run, { page })
}

async function runCommand<Declared extends Flags, Action extends string, Words, Config>(
  declaration: CommandDeclaration<Declared, Action, Words, Config>,
  page: HelpPage,
  args: readonly string[],
): Promise<number> {
  const {
    positionals: readWords,
    config: loadConfig,
    handlesStop,
    run,
    defaultAction,
  } = declaration
  const hasActions = declaration.actions !== undefined
  const declared = declaration.flags ?? ({} as Declared)
  const line = readCommandLine(args, declared, hasActions || readWords !== undefined)
  if (line.wantsHelp) {
    process.stdout.write(helpPage(page))
    return 0
  }
  const { flags } = line
  const action = (
    hasActions ? chosenAction(page.actions, line, defaultAction) : undefined
  ) as Action
  const words = action ? line.words.slice(1) : line.words
  if (!readWords && words.length > 0) throw new UsageError(`Unexpected argument '${words[0]}'`)
  const positionals = (await readWords?.(words, flags, action)) as Words
  if (loadConfig) await warnOfUnknownVariables(declaration.name)
  const config = (await loadConfig?.(process.env, flags, action)) as Config
  using signals = handlesStop ? listenForStop() : endOnSignals(declaration.name)
  const { stop, stopAtOnce } = signals
  return await run({ action, flags, positionals, config, stop, stopAtOnce })
}

/** Before the configuration is refused: a variable may be missing because another is misspelled. */
async function warnOfUnknownVariables(name: string): Promise<void> {
  // Loaded only here: it knows every setting, which takes a part of the start time.
  const { unknownVariables } = await import('../../settings/parser/unknown-variables.ts')
  for (const sentence of unknownVariables(process.env)) {
    process.stderr.write(`svc ${name}: ${printable(sentence)}\n`)
  }
}

function pageOf<Declared extends Flags, Action extends string, Words, Config>(
  declaration: CommandDeclaration<Declared, Action, Words, Config>,
): HelpPage {
  const { name, summary, exits, config, example } = declaration
  const {
    usage = [`svc ${name}`],
    actions = {},
    flags = {},
    notes = [],
    env = [['nothing', 'is read']],
  } = declaration
  const allExits = { ...exits, ...usageExit, ...(config && configExit) }
  return { name, summary, usage, actions, flags, notes, env, exits: allExits, example }
}

function explainUsage(name: string, problems: readonly string[]): number {
  const list = problems.map((problem) => `\n  - ${problem}`).join('')
  const text = problems.length > 1 ? `svc ${name}:${list}` : `svc ${name}: ${problems.join()}`
  process.stderr.write(`${text}\nsvc ${name} --help says what it takes.\n`)
  return EX_USAGE
}

/** A person may type a secret seed where something else belongs; no message repeats it. */
const withoutSeed = (sentence: string): string => sentence.replaceAll(/S[A-Z2-7]{55}/g, 'S...')
