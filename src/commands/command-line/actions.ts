import { didYouMean } from '../../platform/core/text/nearest-word.ts'
import { UsageError } from './usage-error.ts'

type Actions = Readonly<Record<string, readonly string[]>>

interface Typed {
  /** The names of the flags that were typed. */
  readonly given: ReadonlySet<string>
  readonly words: readonly string[]
}

/**
 * The action that the first argument names. Throws UsageError when it names none, and for a flag that
 * belongs to another action.
 * @param actions the flags of each action; those of `''` where the first argument need not name one
 * @param fallback the action when there is no argument; absent: there must be one
 */
export function chosenAction(
  actions: Actions,
  { given, words: [typed] }: Typed,
  fallback = Object.hasOwn(actions, '') ? '' : undefined,
): string {
  const word = typed ?? fallback
  const names = Object.keys(actions)
  const expected = `expected ${names.join(', ').replace(/, ([^,]*)$/, ' or $1')}`
  if (word === undefined) throw new UsageError(expected)
  const action = Object.hasOwn(actions, word) ? word : ''
  const own = actions[action]
  if (!own) throw new UsageError(`${expected}, not '${word}'${didYouMean(word, names)}`)
  const foreign = [...given].filter((name) => !own.includes(name))
  if (foreign.length > 0) {
    throw new UsageError(...foreign.map((name) => refusal(action, name, actions)))
  }
  return action
}

function refusal(action: string, name: string, actions: Actions): string {
  if (action !== '') return `${action} does not take --${name}`
  const taking = Object.keys(actions).filter((each) => actions[each]?.includes(name))
  return `--${name} belongs to ${taking.join(' and ')}`
}
