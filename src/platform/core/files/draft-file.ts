import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type FileHandle, link, open, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

type Content = string | AsyncIterable<Uint8Array>

/**
 * A file that is written beside its place and put there once it is whole and on the disk: its readers see all of it or nothing, also after
 * the process was killed or the power was lost. Its end removes the draft.
 */
export class DraftFile implements AsyncDisposable {
  readonly #path: string
  readonly #draft: string
  readonly #file: FileHandle

  private constructor(path: string, draft: string, file: FileHandle) {
    this.#path = path
    this.#draft = draft
    this.#file = file
  }

  /** Makes the draft, in the folder of `path`. @param mode of the file; the umask still applies */
  static async open(path: string, mode = 0o666): Promise<DraftFile> {
    const draft = `${path}.${randomUUID()}`
    return new DraftFile(path, draft, await open(draft, 'wx', mode))
  }

  /** Resolves once the content is on the disk. */
  async write(content: Content): Promise<void> {
    await writeFile(this.#file, content)
    await this.#file.sync()
  }

  /** Puts it in its place, and replaces a file that is there. */
  async replace(): Promise<void> {
    await rename(this.#draft, this.#path)
    await syncFolder(dirname(this.#path))
  }

  /** Puts it in its place when nothing is there. @returns false when something is */
  async create(): Promise<boolean> {
    try {
      await link(this.#draft, this.#path)
    } catch (error) {
      if (existsSync(this.#path)) return false
      // Some file systems have no links.
      if (!noLinks.includes(Object(error).code)) throw error
      await rename(this.#draft, this.#path)
    }
    await syncFolder(dirname(this.#path))
    return true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close()
    await rm(this.#draft, { force: true })
  }
}

/** Replaces the file at once. */
export async function replaceFile(path: string, content: Content, mode?: number): Promise<void> {
  await using draft = await DraftFile.open(path, mode)
  await draft.write(content)
  await draft.replace()
}

const noLinks: readonly unknown[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']

/** The name of a file is in its folder, which is written on its own. */
async function syncFolder(folder: string): Promise<void> {
  try {
    await using opened = await open(folder)
    await opened.sync()
  } catch {
    // Some systems write no folder on demand.
  }
}
