/** Numbers of one seed (mulberry32): the same on every machine, so that a training can be repeated. */
export type Random = Readonly<{
  /** From 0 to below 1. */
  uniform: () => number
  /** Mean 0, variance 1 (Box and Muller). */
  normal: () => number
  /** From 0 to `limit - 1`. */
  below: (limit: number) => number
}>

export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const uniform = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let x = Math.imul(state ^ (state >>> 15), state | 1)
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61)
    return ((x ^ (x >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    uniform,
    normal: () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
    below: (limit) => Math.floor(uniform() * limit),
  }
}

/** Puts the items in random order, in place (Fisher and Yates). */
export function shuffle<Item>(items: Item[], random: Random): Item[] {
  for (let last = items.length - 1; last > 0; last -= 1) {
    const other = random.below(last + 1)
    const held = items[last] as Item
    items[last] = items[other] as Item
    items[other] = held
  }
  return items
}
