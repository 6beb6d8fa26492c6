import type { QuestionPair } from './read-pairs.ts'
import type { Synset } from './read-wordnet.ts'

/** Two texts of which the encoder learns that they belong together. */
export type TextPair = readonly [string, string]

/** One kind of pairs, how many of them an epoch takes, and whether the first text is a question. */
export type Source = Readonly<{
  name: string
  pairs: readonly TextPair[]
  perEpoch: number
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
      perEpoch: 45_000,
      asked: false,
    },
    {
      name: 'synonym',
      pairs: synsets.flatMap((one) =>
        one.words.slice(1).map((word): TextPair => [one.words[0] ?? '', word]),
      ),
      perEpoch: 15_000,
      asked: false,
    },
    {
      name: 'hypernym',
      pairs: synsets.flatMap((one) =>
        follow(one.hypernyms).map((other): TextPair => [named(one), named(other)]),
      ),
      perEpoch: 15_000,
      asked: false,
    },
    {
      name: 'related',
      pairs: synsets.flatMap((one) =>
        follow(one.related).map((other): TextPair => [named(one), named(other)]),
      ),
      perEpoch: 25_000,
      asked: false,
    },
    {
      name: 'example',
      pairs: synsets.flatMap((one) => one.examples.map((text): TextPair => [text, named(one)])),
      perEpoch: 10_000,
      asked: false,
    },
    {
      name: 'question',
      pairs: questions.map(({ question, description }): TextPair => [question, description]),
      perEpoch: 24_000,
      asked: true,
    },
    { name: 'neighbour', pairs: neighbours(questions), perEpoch: 8_000, asked: true },
  ]
}

/** Two questions that want the same tool. */
function neighbours(questions: readonly QuestionPair[]): TextPair[] {
  return questions.flatMap(({ question, description }, index) => {
    const next = questions[index + 1]
    return next?.description === description ? [[question, next.question] as const] : []
  })
}
