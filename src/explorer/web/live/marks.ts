import { isNetworkId } from '../../../platform/core/caip2.ts'
import type { FeedMarks } from '../../reads.ts'

/** Marks as the id of an event: `stellar:testnet.123,stellar:pubnet.456`. */
export const writeMarks = (marks: FeedMarks): string =>
  Object.entries(marks)
    .map(([network, mark]) => `${network}.${mark}`)
    .sort()
    .join(',')

/** Undefined for text that `writeMarks` does not write. */
export function readMarks(text: string): FeedMarks | undefined {
  const entries = text.split(',').map((part) => {
    const [, network, digits] = /^([a-z:]+)\.(\d{1,15})$/.exec(part) ?? []
    return isNetworkId(network) && digits ? ([network, Number(digits)] as const) : undefined
  })
  return entries.every((entry) => entry !== undefined) ? Object.fromEntries(entries) : undefined
}

/** Whether a reader at these marks has seen what there is: each network that it reads is at its present end. */
export function hasSeenAll(
  marks: FeedMarks,
  present: FeedMarks,
  network?: keyof FeedMarks | undefined,
): boolean {
  return Object.entries(present).every(([each, end]) => {
    if (network !== undefined && each !== network) return true
    const mark = marks[each as keyof FeedMarks]
    return mark !== undefined && mark >= end
  })
}
