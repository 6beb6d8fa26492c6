import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { output } from '../../tools/image/command.ts'
import { programInPath } from '../cluster/support/debian-package.ts'
import { type BuiltImage, buildClone, clone } from './support/built-image.ts'
import { unpackArchive } from './support/unpacked.ts'

export interface ImageUnderTest {
  /** Of this run, removed after it. */
  readonly folder: string
  /** A clone of the last commit, whose files only their owner can read. */
  readonly privateClone: string
  readonly built: BuiltImage
  /** The root file system of the image, as layers give it. */
  readonly root: string
}

declare module 'vitest' {
  interface ProvidedContext {
    image: ImageUnderTest | { readonly missing: string }
  }
}

/** Builds the image of the last commit from a clone, and unpacks it. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | void> {
  const missing = await reason()
  if (missing !== undefined) return project.provide('image', { missing })
  const folder = await mkdtemp(join(tmpdir(), 'svc-e2e-image-'))
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 5 })
  try {
    const publicClone = await clone(join(folder, 'public'), '022')
    const privateClone = await clone(join(folder, 'private'), '077')
    const built = await buildClone(publicClone, join(folder, 'image.tar'), { umask: '022' })
    const root = await unpackArchive(built.file, join(folder, 'root'))
    project.provide('image', { folder, privateClone, built, root })
    return remove
  } catch (error) {
    await remove()
    throw error
  }
}

/** Why this machine cannot build the image and own its files. */
async function reason(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'the image needs Linux'
  if (process.getuid?.() !== 0) return 'root alone can compare owners and start a daemon'
  for (const program of ['apt-get', 'dpkg-deb', 'npm', 'git', 'unshare'])
    if ((await programInPath(program)) === undefined) return `there is no ${program}`
  return output('unshare', ['--mount', '--pid', '--fork', 'true']).then(
    () => undefined,
    (error: Error) => `the kernel refuses new namespaces (${error.message})`,
  )
}
