import type { Target } from '../../kubernetes/plugin/targets/marks.ts'
import { UsageError } from '../command-line/usage-error.ts'

/** Words before a slash, as kubectl takes them, and the kind of each. */
const kinds: Readonly<Record<string, Target['kind']>> = {
  facilitator: 'Facilitator',
  facilitators: 'Facilitator',
  fac: 'Facilitator',
  pool: 'ChannelPool',
  channelpool: 'ChannelPool',
  channelpools: 'ChannelPool',
  chp: 'ChannelPool',
}

/** `NAME` or `facilitator/NAME`, `pool/NAME`. Throws UsageError. */
function targetOf(word: string): Target {
  const [kind, name, ...rest] = word.includes('/') ? word.split('/') : ['facilitator', word]
  const known = kind !== undefined && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined
  if (known === undefined || !name || rest.length > 0) {
    throw new UsageError(`expected NAME or pool/NAME, not '${word}'`)
  }
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name)) {
    throw new UsageError(
      `'${name}' is no name of a ${known}: lower case letters, digits and dashes`,
    )
  }
  return { kind: known, name }
}

/** The one target of an action, if any. Throws UsageError. */
export function onlyTarget(
  words: readonly string[],
  action: string,
  isRequired: boolean,
): Target | undefined {
  const [word, ...rest] = words
  if (rest.length > 0) throw new UsageError(`${action} takes one name, so not '${rest[0]}'`)
  if (word !== undefined) return targetOf(word)
  if (isRequired) throw new UsageError(`${action} needs the name of a Facilitator`)
  return undefined
}
