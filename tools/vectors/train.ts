import { SparseAdam } from './adam.ts'
import { contrastiveLoss } from './contrastive-loss.ts'
import { type EncodedTexts, type Encoder, encodeTexts } from './encoder.ts'
import { type Random, shuffle } from './random.ts'
import type { Recipe } from './recipe.ts'
import type { EncodedPair } from './vocabulary.ts'

/**
 * Changes the encoder so that the vectors of a question and of the description that answers it come near each other:
 * in-batch contrastive loss in both directions, Adam with a rate that falls linearly, and random removal of words.
 */
export function train(
  encoder: Encoder,
  pairs: readonly EncodedPair[],
  recipe: Recipe,
  random: Random,
  report: (line: string) => void,
): void {
  const optimizers = {
    vectors: new SparseAdam(encoder.vectors, encoder.dimensions),
    questionWeights: new SparseAdam(encoder.questionWeights, 1),
    descriptionWeights: new SparseAdam(encoder.descriptionWeights, 1),
  }
  const steps = Math.floor(pairs.length / recipe.batch) * recipe.epochs
  let step = 0
  for (let epoch = 1; epoch <= recipe.epochs; epoch += 1) {
    let loss = 0
    for (const batch of batchesOf(pairs, recipe.batch, random)) {
      loss += learnBatch(encoder, optimizers, batch, recipe, random)
      const rate = recipe.rate * Math.max(recipe.lastRate, 1 - step / steps)
      optimizers.vectors.step(rate)
      optimizers.questionWeights.step(rate * recipe.weightRate)
      optimizers.descriptionWeights.step(rate * recipe.weightRate)
      step += 1
    }
    report(
      `epoch ${epoch} of ${recipe.epochs}: mean loss ${((loss * recipe.epochs) / steps).toFixed(3)}`,
    )
  }
}

/** Batches of `size` pairs in random order; fewer than `size` that remain wait for another epoch. */
function batchesOf(
  pairs: readonly EncodedPair[],
  size: number,
  random: Random,
): (readonly EncodedPair[])[] {
  const shuffled = shuffle([...pairs], random)
  return Array.from({ length: Math.floor(pairs.length / size) }, (_, batch) =>
    shuffled.slice(batch * size, (batch + 1) * size),
  )
}

type Optimizers = Readonly<Record<'vectors' | 'questionWeights' | 'descriptionWeights', SparseAdam>>

function learnBatch(
  encoder: Encoder,
  optimizers: Optimizers,
  pairs: readonly EncodedPair[],
  recipe: Recipe,
  random: Random,
): number {
  const { dimensions, questionWeights, descriptionWeights } = encoder
  const left = encodeTexts(
    encoder,
    pairs.map(([question]) => dropped(question, recipe.droppedFromQuestion, random)),
    questionWeights,
  )
  const right = encodeTexts(
    encoder,
    pairs.map(([, description]) => dropped(description, recipe.droppedFromDescription, random)),
    descriptionWeights,
  )
  const { loss, leftGradient, rightGradient } = contrastiveLoss(
    left.units,
    right.units,
    labelsOf(pairs),
    dimensions,
    recipe.temperature,
  )
  propagate(encoder, left, leftGradient, optimizers.vectors, optimizers.questionWeights)
  propagate(encoder, right, rightGradient, optimizers.vectors, optimizers.descriptionWeights)
  return loss
}

/** Equal descriptions have equal labels. */
function labelsOf(pairs: readonly EncodedPair[]): Int32Array {
  const known = new Map<string, number>()
  return Int32Array.from(pairs, ([, description]) => {
    const key = description.join()
    const label = known.get(key) ?? known.size
    known.set(key, label)
    return label
  })
}

function dropped(ids: Int32Array, share: number, random: Random): Int32Array {
  if (ids.length < 4) return ids
  const kept = ids.filter(() => random.uniform() > share)
  return kept.length > 0 ? kept : ids
}

function propagate(
  encoder: Encoder,
  texts: EncodedTexts,
  gradient: Float32Array,
  vectors: SparseAdam,
  weights: SparseAdam,
): void {
  const { dimensions } = encoder
  for (const [row, ids] of texts.ids.entries()) {
    const start = row * dimensions
    let along = 0
    for (let d = start; d < start + dimensions; d += 1)
      along += (gradient[d] as number) * (texts.units[d] as number)
    const norm = texts.norms[row] as number
    for (let d = start; d < start + dimensions; d += 1) {
      gradient[d] = ((gradient[d] as number) - along * (texts.units[d] as number)) / norm
    }
    for (const id of ids) {
      const weight = Math.exp(texts.weights[id] as number)
      vectors.add(id, weight, gradient, start)
      let product = 0
      for (let d = 0; d < dimensions; d += 1) {
        product +=
          (encoder.vectors[id * dimensions + d] as number) * (gradient[start + d] as number)
      }
      weights.addOne(id, weight * product)
    }
  }
}
