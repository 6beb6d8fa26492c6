import { isNetworkId, type NetworkId, networkIds } from '../../platform/core/caip2.ts'
import { didYouMean } from '../../platform/core/text/nearest-word.ts'
import { UsageError } from './usage-error.ts'

/** One flag of a command. The functions below declare one of each kind. */
export interface Flag<Value> {
  /** A list may be given more than once; any other flag may not. */
  readonly kind: 'switch' | 'value' | 'list'
  /** One letter that may be typed with one dash instead of the name. */
  readonly short?: string
  /** The word for the value on the help page. */
  readonly shows: string
  /** The default, as the help page shows it. */
  readonly fallback?: string
  /** All values, or the most useful ones: what a shell completes. */
  readonly values?: readonly string[]
  /** The purpose of the flag; one line of the help page each. */
  readonly help: readonly string[]
  /**
   * @param text the value as typed; undefined when the flag was left out. Throws UsageError.
   * @param all every value of a list
   */
  readonly read: (text: string | undefined, name: string, all?: readonly string[]) => Value
}

export type Flags = Readonly<Record<string, Flag<unknown>>>

/** The values of all flags by name, defaults included. */
export type FlagValues<Declared extends Flags> = {
  readonly [Name in keyof Declared]: ReturnType<Declared[Name]['read']>
}

/** A flag without a value: true when given. */
export const flag = (help: string): Flag<boolean> => ({
  kind: 'switch',
  shows: '',
  help: [help],
  read: (text) => text !== undefined,
})

/** A flag whose value is any text. */
export const text = (shows: string, ...help: readonly string[]): Flag<string | undefined> => ({
  kind: 'value',
  shows,
  help,
  read: (given) => given,
})

/** The same flag, which has a letter too. */
export const withLetter = <Value>(short: string, declared: Flag<Value>): Flag<Value> => ({
  ...declared,
  short,
})

/** The same with a default; `shown` is what the help page says of it. */
export const textOr = (
  fallback: string,
  shows: string,
  help: string,
  shown = fallback,
): Flag<string> => ({
  ...text(shows, help),
  fallback: shown,
  read: (given = fallback) => given,
})

/** A flag that may be given more than once; its value is a list, in the order of the command line. */
export const texts = (shows: string, ...help: readonly string[]): Flag<readonly string[]> => ({
  ...text(shows, ...help),
  kind: 'list',
  read: (_, __, all = []) => all,
})

/** A TCP port; 0 takes any free one. */
export const port = (fallback: number, help: string): Flag<number> => ({
  ...text('PORT', help),
  fallback: String(fallback),
  read: (given = String(fallback), name) => {
    const value = wholeNumber(given)
    if (value !== undefined && value <= 65_535) return value
    throw new UsageError(`${name} is a port from 0 to 65535, not ${given}`)
  },
})

/** A time such as `5s` or `250ms`, at least 1 ms. The value is in milliseconds. */
export const duration = (fallback: string, help: string): Flag<number> => ({
  ...text('TIME', help),
  fallback,
  read: (given = fallback, name) => {
    const match = /^(?<count>\d+)(?<unit>ms|s)$/.exec(given)
    const ms = Number(match?.groups?.['count']) * (match?.groups?.['unit'] === 's' ? 1_000 : 1)
    if (ms > 0) return ms
    throw new UsageError(`${name} is a time such as 5s or 250ms, not ${given}`)
  },
})

/** The CAIP-2 name of a network; undefined means all of them. */
export const networkId = (help: string): Flag<NetworkId | undefined> => ({
  ...text('ID', help),
  values: networkIds,
  read: (given, name) => {
    if (given === undefined || isNetworkId(given)) return given
    throw new UsageError(
      `${name} is one of ${networkIds.join(', ')}, not ${given}${didYouMean(given, networkIds)}`,
    )
  },
})

interface Range {
  readonly min?: number
  readonly max?: number
  /** A default that applies elsewhere when the flag is left out, for the help page. */
  readonly fallback?: number
}

/** A whole number; undefined when the flag was left out. */
export const number = (
  shows: string,
  help: string,
  { min = 0, max = Number.MAX_SAFE_INTEGER, fallback }: Range = {},
): Flag<number | undefined> => ({
  ...text(shows, help),
  ...(fallback === undefined ? {} : { fallback: String(fallback) }),
  read: (given, name) => {
    if (given === undefined) return undefined
    const value = wholeNumber(given)
    if (value !== undefined && value >= min && value <= max) return value
    const range = max < Number.MAX_SAFE_INTEGER ? ` from ${min} to ${max}` : ''
    throw new UsageError(`${name} is a whole number${range}, not ${given}`)
  },
})

export const numberOr = (
  fallback: number,
  help: string,
  range: Omit<Range, 'fallback'> = {},
): Flag<number> => {
  const { read, ...shared } = number('N', help, { ...range, fallback })
  return { ...shared, read: (given, name) => read(given, name) ?? fallback }
}

/** One of some words; undefined when the flag was left out. */
export const choice = <const Word extends string>(
  words: readonly Word[],
  help: string,
): Flag<Word | undefined> => ({
  ...text(words.join('|'), help),
  values: words,
  read: (given, name) => {
    if (given === undefined) return undefined
    const word = words.find((it) => it === given)
    if (word !== undefined) return word
    const allButLast = words.slice(0, -1).join(', ')
    const nearest = didYouMean(given, words)
    throw new UsageError(`${name} is ${allButLast} or ${words.at(-1)}, not ${given}${nearest}`)
  },
})

/** The same with a default. */
export const choiceOr = <const Word extends string>(
  words: readonly Word[],
  fallback: NoInfer<Word>,
  help: string,
): Flag<Word> => {
  const { read, ...shared } = choice(words, help)
  return { ...shared, fallback, read: (given, name) => read(given, name) ?? fallback }
}

const wholeNumber = (given: string): number | undefined =>
  /^\d{1,15}$/.test(given) ? Number(given) : undefined
