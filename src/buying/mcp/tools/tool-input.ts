import { z } from 'zod'
import { didYouMean } from '../../../platform/core/text/nearest-word.ts'
import { printable } from '../../../platform/core/text/printable.ts'

const MAX_NAME = 40

/**
 * The arguments of a tool. An unknown one is refused, as over HTTP: an agent that misspelt a filter would believe that it filtered. The
 * refusal names it, and the known one that was probably meant.
 */
export const toolInput = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? refusal(issue.keys, Object.keys(shape)) : undefined,
  })

function refusal([name = '']: readonly string[], known: readonly string[]): string {
  const shown = JSON.stringify(printable(name.slice(0, MAX_NAME)))
  const meant = didYouMean(name.slice(0, MAX_NAME), known)
  const all = known.length === 0 ? 'it takes none' : `it takes ${known.join(', ')}`
  return `the argument ${shown} is not supported${meant === '' ? `: ${all}` : meant}`
}
