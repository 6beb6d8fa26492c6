/** The log on disk. What is in it may have been signed; what is not in it was not. */
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type ChainEnd, countedOf, type Entry, nextLine } from './line.ts'
import { readLog } from './read-log.ts'
import type { Usage } from './usage.ts'

/** Nothing could be written, so nothing may be signed. */
export class LogFailure extends Error {
  override readonly name = 'LogFailure'
}

export class SigningLog implements AsyncDisposable {
  readonly usage: Usage
  /** What a crash had left of a line, and opening the log has removed: no signature was given for it. */
  readonly tornBytes: number
  readonly #file: FileHandle
  #end: ChainEnd
  #bytes: number
  /** Whether the last write failed: part of it may be in the file. */
  #hasRest = false

  private constructor(
    file: FileHandle,
    { chain, bytes, tornBytes }: Awaited<ReturnType<typeof readLog>>,
  ) {
    this.#file = file
    this.usage = chain.usage
    this.#end = chain.end
    this.#bytes = bytes
    this.tornBytes = tornBytes
  }

  /** Creates the file where there is none, and checks every line of it. Throws where the chain is broken. */
  static async open(path: string): Promise<SigningLog> {
    const { O_RDWR, O_CREAT, O_APPEND } = constants
    const file = await open(path, O_RDWR | O_CREAT | O_APPEND, 0o600)
    try {
      const checked = await readLog(path)
      await file.truncate(checked.bytes)
      await file.sync()
      // The name of a new file, too, must survive a power failure.
      await using folder = await open(dirname(path))
      await folder.sync()
      return new SigningLog(file, checked)
    } catch (error) {
      await file.close()
      throw error
    }
  }

  get end(): ChainEnd {
    return this.#end
  }

  /**
   * Time never goes back in the log, so that a clock that is set back gives no fees free. @param now Unix ms
   */
  timeAt(now: number): number {
    return Math.max(now, this.#end.time)
  }

  /** Appends all entries, or none, and returns once they are on the disk. Throws `LogFailure`. @param time as `timeAt` gives it */
  async append(entries: readonly Entry[], time: number): Promise<void> {
    let end = this.#end
    let text = ''
    const counted = new Map<string, Entry>()
    for (const entry of entries) {
      const isRepeat = counted.has(entry.hash) || this.usage.isRepeat(entry.hash, time)
      if (!isRepeat) counted.set(entry.hash, entry)
      const line = nextLine(end, entry, { time, isRepeat })
      text += `${line.text}\n`
      end = line.end
    }
    await this.#write(Buffer.from(text, 'utf8'))
    this.#end = end
    for (const entry of counted.values()) this.usage.add(countedOf(entry, time))
  }

  async #write(lines: Buffer): Promise<void> {
    try {
      await this.#removeRest()
      await this.#checkFile()
      this.#hasRest = true
      await this.#file.appendFile(lines)
      await this.#file.sync()
    } catch (error) {
      // Else a restart would count lines of which nothing was signed. Where it fails, the next batch tries again.
      await this.#removeRest().catch(() => {})
      throw new LogFailure('the log cannot be written', { cause: error })
    }
    this.#hasRest = false
    this.#bytes += lines.length
  }

  /** What a write that failed has left. */
  async #removeRest(): Promise<void> {
    if (!this.#hasRest) return
    await this.#file.truncate(this.#bytes)
    this.#hasRest = false
  }

  /** A file that somebody else has changed is no more the one that was checked. */
  async #checkFile(): Promise<void> {
    const { size, nlink } = await this.#file.stat()
    if (nlink === 0) throw new Error('the file was removed')
    if (size !== this.#bytes) throw new Error('another process has written to the file')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close()
  }
}
