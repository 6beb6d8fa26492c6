import type { MessageReader } from './message.ts'

/** The crate's `limits::Resource`, in its order. */
const limitedResources = [
  'disk_read_bytes',
  'entry_size',
  'instructions',
  'memory',
  'write_bytes',
  'events_size',
] as const

export type LimitedResource = (typeof limitedResources)[number]

/** A limit that ended an operation with RESOURCE_LIMIT_EXCEEDED. */
export interface Exceeded {
  readonly resource: LimitedResource
  readonly used: bigint
  readonly allowed: bigint
}

export const readExceeded = (input: MessageReader): Exceeded => {
  const resource = limitedResources[input.u8()]
  if (resource === undefined) throw new Error('the host reported an unknown resource')
  return { resource, used: input.u64(), allowed: input.u64() }
}
