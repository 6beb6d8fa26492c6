import { inject, type TestContext } from 'vitest'
import { output } from '../../../tools/image/command.ts'
import { projectRoot } from '../../support/image-files.ts'
import type { ImageUnderTest } from '../global-setup.ts'

/** For the label; it has no influence on what is built. */
export const SOURCE = 'https://git.example/stellar-x402'

export interface BuiltImage {
  readonly file: string
  /** Of the manifest. */
  readonly digest: string
}

/** Clones the last commit of this checkout: what is not committed is not tested. */
export async function clone(folder: string, umask: string): Promise<string> {
  await withUmask(umask, ['git', 'clone', '--quiet', '--shared', projectRoot, folder])
  return folder
}

/** As `make image` does it in that clone, which has no node_modules. */
export async function buildClone(
  tree: string,
  file: string,
  { umask, cache }: { readonly umask: string; readonly cache?: string },
): Promise<BuiltImage> {
  const program = [process.execPath, `${tree}/tools/image/run.ts`, '--source', SOURCE]
  const env = cache === undefined ? {} : { XDG_CACHE_HOME: cache }
  return JSON.parse(await withUmask(umask, [...program, '--out', file], env))
}

const withUmask = (umask: string, command: readonly string[], env = {}): Promise<string> =>
  output('sh', ['-c', 'umask "$0" && exec "$@"', umask, ...command], { env })

/** Skips the test where the machine cannot build the image. */
export function imageOrSkip({ skip }: TestContext): ImageUnderTest {
  const image = inject('image')
  if ('missing' in image) return skip(image.missing)
  return image
}
