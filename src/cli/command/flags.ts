import { isNetworkId, type NetworkId, networkIds } from '../../core/caip2.ts'
import { UsageError } from './usage-error.ts'

/** One flag of a command. The functions below declare one of each kind. */
export interface Flag<Value> {
  readonly kind: 'switch' | 'value'
  /** What stands behind the flag on the help page: its default, or a word for the value. */
  readonly shows: string
  /** What the flag is for; one line of the help page each. */
  readonly help: readonly string[]
  /** @param text the value as typed; undefined when the flag was left out. Throws UsageError. */
  readonly read: (text: string | undefined, name: string) => Value
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

/** The same with a default, which is what the help page shows unless `shows` says otherwise. */
export const textOr = (fallback: string, help: string, shows = fallback): Flag<string> => ({
  ...text(shows, help),
  read: (given = fallback) => given,
})

/** A TCP port; 0 takes any free one. */
export const port = (fallback: number, help: string): Flag<number> => ({
  ...text(String(fallback), help),
  read: (given = String(fallback), name) => {
    const value = wholeNumber(given)
    if (value !== undefined && value <= 65_535) return value
    throw new UsageError(`${name} is a port from 0 to 65535, not ${given}`)
  },
})

/** A time such as `5s` or `250ms`, at least 1 ms. The value is in milliseconds. */
export const duration = (fallback: string, help: string): Flag<number> => ({
  ...text(fallback, help),
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
  read: (given, name) => {
    if (given === undefined || isNetworkId(given)) return given
    throw new UsageError(`${name} is one of ${networkIds.join(', ')}, not ${given}`)
  },
})

interface Range {
  readonly min?: number
  readonly max?: number
}

/** A whole number; undefined when the flag was left out. */
export const number = (
  shows: string,
  help: string,
  { min = 0, max = Number.MAX_SAFE_INTEGER }: Range = {},
): Flag<number | undefined> => ({
  ...text(shows, help),
  read: (given, name) => {
    if (given === undefined) return undefined
    const value = wholeNumber(given)
    if (value !== undefined && value >= min && value <= max) return value
    const range = max < Number.MAX_SAFE_INTEGER ? ` from ${min} to ${max}` : ''
    throw new UsageError(`${name} is a whole number${range}, not ${given}`)
  },
})

export const numberOr = (fallback: number, help: string, range?: Range): Flag<number> => {
  const { read, ...shared } = number(String(fallback), help, range)
  return { ...shared, read: (given, name) => read(given, name) ?? fallback }
}

/** One of some words; undefined when the flag was left out. */
export const choice = <const Word extends string>(
  words: readonly Word[],
  shows: string,
  help: string,
): Flag<Word | undefined> => ({
  ...text(shows, help),
  read: (given, name) => {
    if (given === undefined) return undefined
    const word = words.find((it) => it === given)
    if (word !== undefined) return word
    const allButLast = words.slice(0, -1).join(', ')
    throw new UsageError(`${name} is ${allButLast} or ${words.at(-1)}, not ${given}`)
  },
})

/** The same with a default; `shows` is what stands on the help page. */
export const choiceOr = <const Word extends string>(
  words: readonly Word[],
  fallback: NoInfer<Word>,
  help: string,
  shows: string = fallback,
): Flag<Word> => {
  const { read, ...shared } = choice(words, shows, help)
  return { ...shared, read: (given, name) => read(given, name) ?? fallback }
}

const wholeNumber = (given: string): number | undefined =>
  /^\d{1,15}$/.test(given) ? Number(given) : undefined
