import { globSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { compiledPath, entries } from './entries.ts'

const imported = /(?:from|import\() ?["'](\.{1,2}\/[^"']+)\.js["']/g

/** The declarations that those of an entry point import, itself first, by paths below the package. */
function declarationsOf(root: string, source: string): string[] {
  const found = new Set([compiledPath(source, '.d.ts')])
  for (const path of found) {
    const text = readFileSync(join(root, path), 'utf8')
    for (const [, target = ''] of text.matchAll(imported)) {
      found.add(normalize(join(dirname(path), `${target}.d.ts`)))
    }
  }
  return [...found]
}

/** Removes declarations that no program can reach. */
export function removeUnreachable(root: string): void {
  const reachable = new Set(Object.values(entries).flatMap((each) => declarationsOf(root, each)))
  for (const path of globSync('**/*.d.ts', { cwd: root })) {
    if (!reachable.has(path)) rmSync(join(root, path))
  }
}

/**
 * The whole typed surface as one page, so that every change of it is a line of a diff: each declaration file once, under
 * the first entry point that reaches it. Comments are left out: they may change without a change of the surface.
 */
export function apiReport(root: string): string {
  const shown = new Set<string>()
  const sections = Object.entries(entries).map(([entry, source]) => {
    const all = declarationsOf(root, source)
    const added = all.filter((path) => !shown.has(path))
    for (const path of added) shown.add(path)
    const parts = added.map((path) => `// ${path}\n${surface(join(root, path))}`)
    const code = parts.length === 0 ? '' : `\n\`\`\`ts\n${parts.join('\n\n')}\n\`\`\`\n`
    return `## ${entry.replace('.', 'stellar-x402')}\n${code}`
  })
  return [
    '# Interface of the package',
    '',
    'Every declaration that a program can reach, by entry point; one that several reach stands under the first. `make generate` writes this page.',
    '',
    ...sections,
  ].join('\n')
}

const comment = /^[ \t]*\/\*\*?[\s\S]*?\*\/\n?|^\/\/# sourceMappingURL.*$/gm

const surface = (file: string): string => readFileSync(file, 'utf8').replace(comment, '').trim()
