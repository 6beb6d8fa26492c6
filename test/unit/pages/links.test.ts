import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { anchorsOf, linksOf, pages, readPage, root } from './markdown.ts'

const isWebAddress = (target: string): boolean => /^[a-z]+:/.test(target)

/** Why a reader who follows the link does not arrive; undefined when it leads somewhere. */
function problemOf(page: string, target: string, file: string, heading: string | undefined) {
  if (isWebAddress(target)) {
    return /^https:\/\//.test(target) && URL.canParse(target) ? undefined : 'no https address'
  }
  const path = file === '' ? page : join(page, '..', file)
  if (!existsSync(join(root, path))) return 'no such file'
  if (heading === undefined || !path.endsWith('.md')) return undefined
  return anchorsOf(readPage(path)).includes(heading) ? undefined : 'no such heading'
}

describe('the links', () => {
  test('are looked for in the pages of the project', () => {
    expect(pages).toContain('README.md')
    expect(pages).toContain('docs/operations.md')
    expect(pages).toContain('docs/runbooks/README.md')
    expect(pages.flatMap((page) => linksOf(readPage(page))).length).toBeGreaterThan(150)
  })

  test.each(pages)('of %s lead to existing files and headings', (page) => {
    const broken = linksOf(readPage(page)).flatMap(({ target, file, heading }) => {
      const problem = problemOf(page, target, file, heading)
      return problem ? [`${target}: ${problem}`] : []
    })
    expect(broken).toEqual([])
  })

  test('of the README reach every page of docs', () => {
    const reached = new Set(linksOf(readPage('README.md')).map(({ file }) => file))
    const unreached = pages.filter((page) => /^docs\/[^/]+\.md$/.test(page) && !reached.has(page))
    expect(unreached).toEqual([])
  })
})
