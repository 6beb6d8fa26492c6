import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Entry } from './tar.ts'
import { foldersTo, treeEntries } from './tree.ts'

/** Folders of the checkout that the image has in /app. Nothing else of the checkout reaches it, but `appFiles`. */
export const appFolders = ['bin', 'src'] as const
/** The settlement contract is for `svc upto deploy`, which uploads it. */
export const appFiles = ['package.json', 'LICENSE', 'contracts/upto/upto.wasm'] as const
/** The embedded network and the demo are for development machines. */
export const appLeavesOut = ['src/demo', 'src/localnet'] as const

const HASH = 0x23
const EXCLAMATION_MARK = 0x21

export function appEntries(tree: string): Entry[] {
  const folders = appFolders.flatMap((folder) =>
    treeEntries(join(tree, folder), {
      at: `app/${folder}`,
      keep: (path) => !appLeavesOut.some((each) => each === `${folder}/${path}`),
    }),
  )
  const files = appFiles.flatMap((path): Entry[] => [
    ...foldersTo(`app/${path}`),
    { type: 'file', path: `app/${path}`, mode: 0o644, content: readFileSync(join(tree, path)) },
  ])
  return [...folders, ...files].map((entry) => (entry.type === 'file' ? asProgram(entry) : entry))
}

/**
 * A file that names its interpreter is a program: the mode of a checkout may say something else. The image has no
 * `env` that would find Node, so the line names it by its path.
 */
function asProgram(entry: Entry & { type: 'file' }): Entry {
  const content =
    entry.content instanceof Uint8Array ? entry.content : readFileSync(entry.content.file)
  if (content[0] !== HASH || content[1] !== EXCLAMATION_MARK) return entry
  const [line = ''] = Buffer.from(content).toString('latin1').split('\n', 1)
  const direct = line.replace('#!/usr/bin/env -S node', '#!/usr/local/bin/node')
  const rest = content.subarray(line.length)
  return { ...entry, mode: 0o755, content: Buffer.concat([Buffer.from(direct, 'latin1'), rest]) }
}
