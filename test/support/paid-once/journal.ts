import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PaymentStore } from '../../../src/buying/client/pay-once-fetch.ts'
import type { Entry } from './settings.ts'

/** What a buyer keeps in files: its open payments, and the goods that it has got. */
export class Journal {
  readonly #folder: string
  readonly #file: string

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true })
    this.#folder = folder
    this.#file = join(folder, 'purchases.jsonl')
  }

  /** Of the buyer over MCP. */
  get budgetFile(): string {
    return join(this.#folder, 'budget.sqlite')
  }

  /** A process that was killed may have left the last line unfinished: then it does not have those goods. */
  read(): Entry[] {
    if (!existsSync(this.#file)) return []
    const lines = readFileSync(this.#file, 'utf8').split('\n')
    return lines.flatMap((line) => {
      try {
        return [JSON.parse(line)]
      } catch {
        return []
      }
    })
  }

  /** The line break comes first: it ends a line that was left unfinished. */
  write(entry: Entry): void {
    appendFileSync(this.#file, `\n${JSON.stringify(entry)}`)
  }

  /** Keeps why the last try of a purchase failed. */
  note(n: number, says: string): void {
    writeFileSync(join(this.#folder, `note-${n}`), says)
  }

  readNote(n: number): string {
    const file = join(this.#folder, `note-${n}`)
    return existsSync(file) ? readFileSync(file, 'utf8') : 'never tried'
  }

  /** Of one purchase. It is forgotten only once the goods are in the journal. */
  openPayment(n: number) {
    const file = join(this.#folder, `open-${n}`)
    const read = () => (existsSync(file) ? readFileSync(file, 'utf8') : undefined)
    const store: PaymentStore = {
      get: read,
      put: (_, payment) => writeFileSync(file, payment, { flush: true }),
      remove: () => undefined,
    }
    return { store, read, forget: () => rmSync(file, { force: true }) }
  }
}
