import { z } from 'zod'
import { type Window, windows } from '../../store/tables.ts'
import { PageRefusal, type PageRequest } from '../page.ts'

const window = z.enum(windows as [Window, ...Window[]])

/** Reads the filters of the page of sellers. Throws `PageRefusal` for a value that it does not have. */
export function readTableFilters(query: PageRequest['query']): {
  readonly window?: Window
  readonly registered?: boolean
} {
  const { window: length, registered } = query
  const read = window.optional().safeParse(length)
  if (!read.success) throw refusal('window', windows.join(', '))
  if (registered !== undefined && registered !== 'true' && registered !== 'false') {
    throw refusal('registered', 'true, false')
  }
  return {
    ...(read.data && { window: read.data }),
    ...(registered !== undefined && { registered: registered === 'true' }),
  }
}

const refusal = (name: string, values: string): PageRefusal =>
  new PageRefusal(
    400,
    'This filter cannot match',
    `The filter ${name} must be one of ${values}. Correct it or remove it.`,
  )
