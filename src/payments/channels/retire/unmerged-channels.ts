import type { Channel } from '../../store/channels/channel.ts'

/** A sponsor and its channels in the store that are not merged. */
export interface UnmergedChannels {
  readonly sponsor: string
  readonly channels: number
}

export function unmergedBySponsor(channels: readonly Channel[]): readonly UnmergedChannels[] {
  const bySponsor = Map.groupBy(
    channels.filter(({ state }) => state !== 'retired'),
    ({ sponsor }) => sponsor,
  )
  return [...bySponsor].map(([sponsor, { length }]) => ({ sponsor, channels: length }))
}

/** `the store has 8 channels of G...`. */
export function storeHas(others: readonly UnmergedChannels[]): string {
  const each = others.map(({ sponsor, channels }) =>
    channels === 1 ? `1 channel of ${sponsor}` : `${channels} channels of ${sponsor}`,
  )
  return `the store has ${each.join(' and ')}`
}
