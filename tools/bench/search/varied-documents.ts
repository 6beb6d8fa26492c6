import type { ListedItem } from '../../../src/catalog/items/listed-item.ts'

const SYLLABLES = 'ba co di fe gu la me no pi qua ro su ta ve wi xo yu za'.split(' ')
const REPLACED_SHARE = 0.2

/**
 * `count` documents made from given ones: each with a name of its own, another host, and a fifth of its description's
 * words taken from another document. Always the same ones.
 */
export function variedDocuments(originals: readonly ListedItem[], count: number): ListedItem[] {
  let state = 7
  const next = (below: number): number => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
  const name = (): string =>
    Array.from({ length: 3 }, () => SYLLABLES[next(SYLLABLES.length)]).join('')
  return Array.from({ length: count }, (_, at) => {
    const original = originals[at % originals.length] as ListedItem
    const { text } = original
    const other = (originals[next(originals.length)] as ListedItem).text.description.split(' ')
    const words = text.description
      .split(' ')
      .map((word) => (next(100) < 100 * REPLACED_SHARE ? other[next(other.length)] : word))
    return {
      ...original,
      key: `${original.key}-${at}`,
      text: {
        ...text,
        name: `${text.name} ${name()}`,
        host: `${name()}.${text.host}`,
        description: words.join(' '),
      },
    }
  })
}
