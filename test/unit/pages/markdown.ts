import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The folder of the project. */
export const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The paths, from the project's folder, of all pages that are written for people. */
export const pages: readonly string[] = globSync(
  ['*.md', 'docs/**/*.md', 'charts/**/*.md', 'test/**/*.md', 'src/**/*.md'],
  { cwd: root, exclude: ['**/node_modules'] },
).toSorted()

export const readPage = (path: string): string => readFileSync(`${root}${path}`, 'utf8')

/** The text without blocks of code. */
const prose = (text: string): string => text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')

export interface Link {
  /** As written: a path, `#heading`, a path with a heading, or an address of the web. */
  readonly target: string
  readonly file: string
  readonly heading: string | undefined
}

export const linksOf = (text: string): readonly Link[] =>
  [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => {
    const [file = '', heading] = target.split('#')
    return { target, file, heading }
  })

/** The anchors that GitHub gives to the headings of a page. */
export function anchorsOf(text: string): readonly string[] {
  const seen = new Map<string, number>()
  return [...prose(text).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => {
    const anchor = heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-')
    const times = seen.get(anchor) ?? 0
    seen.set(anchor, times + 1)
    return times === 0 ? anchor : `${anchor}-${times}`
  })
}
