import type { QuestionPair } from './read-pairs.ts'
import type { Synset } from './read-wordnet.ts'

/** A text of which stems that occur together are related, and how many times it counts. */
export type TextOfWords = Readonly<{ text: string; times: number }>

const WORDS_OF_HYPERNYM = 2

/** Each set of synonyms with its definition and what it is a kind of. */
export function textsOfSynsets(synsets: readonly Synset[]): TextOfWords[] {
  const byId = new Map(synsets.map((synset) => [synset.id, synset]))
  return synsets.map(({ words, definition, hypernyms }) => {
    const general = hypernyms.flatMap((id) => byId.get(id)?.words.slice(0, WORDS_OF_HYPERNYM) ?? [])
    return { text: [...words, definition, ...general].join(' '), times: 1 }
  })
}

/** Each question with the description that answers it. */
export function textsOfPairs(pairs: readonly QuestionPair[], times: number): TextOfWords[] {
  return pairs.map(({ question, description }) => ({ text: `${question} ${description}`, times }))
}
