import { parseArgs } from 'node:util'
import { didYouMean } from '../../platform/core/text/nearest-word.ts'
import type { Flags, FlagValues } from './flags.ts'
import { UsageError } from './usage-error.ts'

export type CommandLine<Declared extends Flags> =
  | { readonly wantsHelp: true }
  | {
      readonly wantsHelp: false
      readonly flags: FlagValues<Declared>
      /** The names of the flags that were typed. */
      readonly given: ReadonlySet<string>
      /** The arguments that belong to no flag. */
      readonly words: readonly string[]
    }

/**
 * Reads a command line. Throws UsageError with every problem; with `--help` bad values are none.
 * @param takesWords whether there may be arguments that belong to no flag
 */
export function readCommandLine<Declared extends Flags>(
  args: readonly string[],
  declared: Declared,
  takesWords: boolean,
): CommandLine<Declared> {
  const tokens = tokensOf(args, declared)
  const problems = tokens.flatMap((token) => problemOf(token, declared, takesWords))
  const options = tokens.filter((token) => token.kind === 'option')
  if (problems.length === 0 && options.some(({ name }) => name === 'help')) {
    return { wantsHelp: true }
  }
  // A flag that is on the list already counts as left out, so that it is listed once.
  const understood = options.filter((token) => problemOf(token, declared, takesWords).length === 0)
  const given = Map.groupBy(understood, ({ name }) => name)
  problems.push(...repeated(given, declared))
  const typed = new Map([...given].map(([name, all]) => [name, all.map(({ value = '' }) => value)]))
  const flags = readFlags(declared, typed, problems)
  if (problems.length > 0) throw new UsageError(...problems)
  const words = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []))
  return { wantsHelp: false, flags, given: new Set(given.keys()), words }
}

/** A second value would silently replace the first. */
const repeated = (given: ReadonlyMap<string, readonly unknown[]>, declared: Flags): string[] =>
  [...given]
    .filter(([name, all]) => all.length > 1 && declared[name]?.kind !== 'list')
    .map(([name]) => `--${name} is given more than once`)

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number]

/** Without parseArgs's own checks: those would stop at the first problem. */
function tokensOf(args: readonly string[], declared: Flags): readonly Token[] {
  const options = Object.entries(declared).map(([name, { kind, short }]) => [
    name,
    { type: kind === 'switch' ? 'boolean' : 'string', ...(short !== undefined && { short }) },
  ])
  const help = { type: 'boolean', short: 'h' } as const
  return parseArgs({
    args: [...args],
    options: { ...Object.fromEntries(options), help },
    strict: false,
    tokens: true,
  }).tokens
}

const isValue = (declared: Flags, name: string): boolean =>
  Object.hasOwn(declared, name) && declared[name]?.kind !== 'switch'

function problemOf(token: Token, declared: Flags, takesWords: boolean): string[] {
  if (token.kind === 'positional') {
    return takesWords ? [] : [`Unexpected argument '${token.value}'`]
  }
  if (token.kind !== 'option') return []
  const { name, rawName, value, inlineValue } = token
  if (name !== 'help' && !Object.hasOwn(declared, name)) {
    const known = [...Object.keys(declared), 'help'].map((each) => `--${each}`)
    return [`Unknown option '${rawName}'${didYouMean(rawName, known)}`]
  }
  if (!isValue(declared, name)) return value === undefined ? [] : [`${rawName} takes no value`]
  if (value === undefined) return [`${rawName} needs a value`]
  if (inlineValue || !value.startsWith('-')) return []
  // Most likely the value was forgotten, and this is the next flag.
  return [`${rawName} needs a value; one that starts with a dash is written ${rawName}=${value}`]
}

/** Adds a problem for each value that a flag does not take. */
function readFlags<Declared extends Flags>(
  declared: Declared,
  given: ReadonlyMap<string, readonly string[]>,
  problems: string[],
): FlagValues<Declared> {
  const values = Object.entries(declared).map(([name, { read }]) => {
    try {
      const all = given.get(name) ?? []
      return [name, read(all.at(-1), `--${name}`, all)]
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      problems.push(...error.problems)
      return [name, undefined]
    }
  })
  return Object.fromEntries(values)
}
