import { didYouMean } from '../../core/nearest-word.ts'
import { UsageError } from './usage-error.ts'

interface Typed {
  /** The names of the flags that were typed. */
  readonly given: ReadonlySet<string>
  readonly words: readonly string[]
}

/**
 * The action that the first argument names. Throws UsageError when it names none, and for a flag that
 * belongs to another action.
 * @param actions the flags of each action
 * @param fallback the action when there is no argument; absent: there must be one
 */
export function chosenAction(
  actions: Readonly<Record<string, readonly string[]>>,
  { given, words: [typed] }: Typed,
  fallback?: string,
): string {
  const word = typed ?? fallback
  const names = Object.keys(actions)
  const expected = `expected ${names.join(', ').replace(/, ([^,]*)$/, ' or $1')}`
  if (word === undefined) throw new UsageError(expected)
  const own = Object.hasOwn(actions, word) ? actions[word] : undefined
  if (!own) throw new UsageError(`${expected}, not '${word}'${didYouMean(word, names)}`)
  const foreign = [...given].filter((name) => !own.includes(name))
  if (foreign.length > 0) {
    throw new UsageError(...foreign.map((name) => `${word} does not take --${name}`))
  }
  return word
}
