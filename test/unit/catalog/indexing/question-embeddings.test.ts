import { expect, test } from 'vitest'
import { EmbeddingsFailure } from '../../../../src/catalog/indexing/embeddings-client.ts'
import { QuestionEmbeddings } from '../../../../src/catalog/indexing/question-embeddings.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'

test.each([
  { status: 400, others: 'get their vectors' },
  { status: 503, others: 'do not wait for it' },
])('after HTTP $status for one question, others $others', async ({ status }) => {
  const questions = new QuestionEmbeddings({
    embedder: {
      model: 'm',
      embed: async ([text]) => {
        if (text !== 'hostile') return [Float32Array.of(1)]
        throw new EmbeddingsFailure('The endpoint refused.', { status })
      },
    },
    clock: systemClock,
    onError: () => undefined,
  })
  expect(await questions.of('hostile')).toBeUndefined()
  expect(await questions.of('weather')).toEqual(status === 400 ? Float32Array.of(1) : undefined)
})
