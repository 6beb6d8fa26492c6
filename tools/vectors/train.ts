import { SparseAdam } from './adam.ts'
import { contrastiveLoss } from './contrastive-loss.ts'
import { type EncodedTexts, type Encoder, encodeTexts, newEncoder } from './encoder.ts'
import { type Random, shuffle } from './random.ts'
import type { Recipe } from './recipe.ts'
import type { EncodedPair, EncodedSource, Vocabulary } from './vocabulary.ts'

type Batch = Readonly<{ source: EncodedSource; pairs: readonly EncodedPair[] }>

/**
 * Learns an encoder whose vectors of a question and of the description that answers it are near each other: in-batch
 * contrastive loss in both directions, Adam with a rate that falls linearly, and random removal of words.
 */
export function train(
  vocabulary: Vocabulary,
  sources: readonly EncodedSource[],
  recipe: Recipe,
  random: Random,
  report: (line: string) => void,
): Encoder {
  const { dimensions, epochs, rate: firstRate, lastRate, weightRate } = recipe
  const encoder = newEncoder(vocabulary, dimensions, random)
  const optimizers = {
    vectors: new SparseAdam(encoder.vectors, dimensions),
    questionWeights: new SparseAdam(encoder.questionWeights, 1),
    descriptionWeights: new SparseAdam(encoder.descriptionWeights, 1),
  }
  let step = 0
  for (let epoch = 1; epoch <= epochs; epoch += 1) {
    const batches = batchesOfEpoch(sources, recipe, random)
    const steps = batches.length * epochs
    let loss = 0
    for (const batch of batches) {
      loss += learn(encoder, optimizers, batch, recipe, random)
      const rate = firstRate * Math.max(lastRate, 1 - step / steps)
      optimizers.vectors.step(rate)
      optimizers.questionWeights.step(rate * weightRate)
      optimizers.descriptionWeights.step(rate * weightRate)
      step += 1
    }
    report(
      `epoch ${epoch} of ${epochs}: ${batches.length} batches, mean loss ${(loss / batches.length).toFixed(3)}`,
    )
  }
  return encoder
}

/** Batches of one source each, in random order; a small source repeats its pairs. */
function batchesOfEpoch(
  sources: readonly EncodedSource[],
  { batch: size, perEpoch }: Recipe,
  random: Random,
): Batch[] {
  const batches: Batch[] = []
  for (const source of sources) {
    const chosen: EncodedPair[] = []
    while (chosen.length < perEpoch[source.name]) {
      const round = shuffle([...source.pairs], random)
      chosen.push(...round.slice(0, perEpoch[source.name] - chosen.length))
    }
    for (let start = 0; start + size <= chosen.length; start += size) {
      batches.push({ source, pairs: chosen.slice(start, start + size) })
    }
  }
  return shuffle(batches, random)
}

type Optimizers = Readonly<Record<'vectors' | 'questionWeights' | 'descriptionWeights', SparseAdam>>

function learn(
  encoder: Encoder,
  optimizers: Optimizers,
  batch: Batch,
  recipe: Recipe,
  random: Random,
): number {
  const { pairs, source } = batch
  const { dimensions, questionWeights, descriptionWeights } = encoder
  const leftWeights = source.asked ? questionWeights : descriptionWeights
  const left = encodeTexts(
    encoder,
    pairs.map(([a]) => dropped(a, recipe.droppedFromQuestion, random)),
    leftWeights,
  )
  const right = encodeTexts(
    encoder,
    pairs.map(([, b]) => dropped(b, recipe.droppedFromDescription, random)),
    descriptionWeights,
  )
  const { loss, leftGradient, rightGradient } = contrastiveLoss(
    left.units,
    right.units,
    labelsOf(pairs),
    dimensions,
    recipe.temperature,
  )
  const leftOptimizer = source.asked ? optimizers.questionWeights : optimizers.descriptionWeights
  propagate(encoder, left, leftGradient, optimizers.vectors, leftOptimizer)
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
