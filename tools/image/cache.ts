import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

/**
 * Packages that were downloaded or unpacked for an image: outside the checkout, so that other checkouts use them. The
 * folder may be removed at any time.
 */
const home = (): string =>
  join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'svc', 'image')

/**
 * The folder of one version of something. `fill` makes it when it is missing, in a folder of its own that is renamed, so
 * that no other build ever uses an incomplete one.
 */
export async function cachedFolder(
  kind: string,
  key: string,
  fill: (folder: string) => Promise<unknown>,
): Promise<string> {
  const folder = join(home(), kind, key)
  if (existsSync(folder)) return folder
  await mkdir(dirname(folder), { recursive: true })
  const work = await mkdtemp(`${folder}.unfinished-`)
  try {
    await fill(work)
    await rename(work, folder).catch((error: NodeJS.ErrnoException) => {
      // Another build may have finished first.
      if (!existsSync(folder)) throw error
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  return folder
}
