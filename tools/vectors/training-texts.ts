import type { QuestionPair } from './read-pairs.ts'
import type { Synset } from './read-wordnet.ts'
import type { SourceName } from './recipe.ts'

/** Two texts of which the encoder learns that they belong together. */
export type TextPair = readonly [string, string]

/** One kind of pairs, and whether the first text is a question. */
export type Source = Readonly<{
  name: SourceName
  pairs: readonly TextPair[]
  asked: boolean
}>

/** The sources of one training: relations of WordNet teach English, the questions teach what people want of tools. */
export function sourcesOf(
  synsets: readonly Synset[],
  questions: readonly QuestionPair[],
): Source[] {
  const byId = new Map(synsets.map((synset) => [synset.id, synset]))
  const follow = (ids: readonly string[]) => ids.flatMap((id) => byId.get(id) ?? [])
  const named = (synset: Synset) => `${synset.words.slice(0, 3).join(' ')} ${synset.definition}`
  return [
    {
      name: 'definition',
      pairs: synsets.flatMap((one) =>
        one.words.slice(0, 2).map((word): TextPair => [word, one.definition]),
      ),
      asked: false,
    },
    {
      name: 'synonym',
      pairs: synsets.flatMap((one) =>
        one.words.slice(1).map((word): TextPair => [one.words[0] ?? '', word]),
      ),
      asked: false,
    },
    {
      name: 'hypernym',
      pairs: synsets.flatMap((one) =>
        follow(one.hypernyms).map((other): TextPair => [named(one), named(other)]),
      ),
      asked: false,
    },
    {
      name: 'related',
      pairs: synsets.flatMap((one) =>
        follow(one.related).map((other): TextPair => [named(one), named(other)]),
      ),
      asked: false,
    },
    {
      name: 'example',
      pairs: synsets.flatMap((one) => one.examples.map((text): TextPair => [text, named(one)])),
      asked: false,
    },
    {
      name: 'question',
      pairs: questions.map(({ question, description }): TextPair => [question, description]),
      asked: true,
    },
    { name: 'neighbour', pairs: neighbours(questions), asked: true },
  ]
}

/** Two questions that want the same tool. */
function neighbours(questions: readonly QuestionPair[]): TextPair[] {
  return questions.flatMap(({ question, description }, index) => {
    const next = questions[index + 1]
    return next?.description === description ? [[question, next.question] as const] : []
  })
}
