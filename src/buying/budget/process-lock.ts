import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** SQLITE_BUSY */
const BUSY = 5

/**
 * A lock that the system takes away when the process that holds it ends, however it ends: the one of SQLite on a file of its
 * own. A number of a process in a file would show nothing, because the next process can get the same number.
 */
export class ProcessLock implements Disposable {
  readonly #file: string
  readonly #database: DatabaseSync

  private constructor(file: string, database: DatabaseSync) {
    this.#file = file
    this.#database = database
  }

  /** Undefined while another process, or this one, holds it. */
  static take(file: string): ProcessLock | undefined {
    const database = new DatabaseSync(file, { timeout: 0 })
    try {
      database.exec('begin exclusive')
      return new ProcessLock(file, database)
    } catch (error) {
      database.close()
      if (Object(error).errcode === BUSY) return undefined
      throw error
    }
  }

  /** Releases the lock for good, and removes its file. */
  remove(): void {
    rmSync(this.#file, { force: true })
    this[Symbol.dispose]()
  }

  [Symbol.dispose](): void {
    this.#database.close()
  }
}
