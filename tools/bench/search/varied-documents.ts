import type { SearchDocument } from '../../../src/catalog/search/search-document.ts'

const SYLLABLES = 'ba co di fe gu la me no pi qua ro su ta ve wi xo yu za'.split(' ')
const REPLACED_SHARE = 0.2

/**
 * `count` documents made from given ones: each with a name of its own, another host, and a fifth of its description's
 * words taken from another document. Always the same ones.
 */
export function variedDocuments(
  originals: readonly SearchDocument[],
  count: number,
): SearchDocument[] {
  let state = 7
  const next = (below: number): number => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
  const name = (): string =>
    Array.from({ length: 3 }, () => SYLLABLES[next(SYLLABLES.length)]).join('')
  return Array.from({ length: count }, (_, at) => {
    const original = originals[at % originals.length] as SearchDocument
    const other = (originals[next(originals.length)] as SearchDocument).description.split(' ')
    const words = original.description
      .split(' ')
      .map((word) => (next(100) < 100 * REPLACED_SHARE ? other[next(other.length)] : word))
    return {
      ...original,
      id: `${original.id}-${at}`,
      name: `${original.name} ${name()}`,
      host: `${name()}.${original.host}`,
      description: words.join(' '),
    }
  })
}
