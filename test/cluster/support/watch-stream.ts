import type { IncomingMessage, ServerResponse } from 'node:http'
import { createInterface } from 'node:readline'
import type { ApiCall } from './api-call.ts'
import { type PlannedFault, statusBody, type WatchFault } from './api-faults.ts'

/** Forwards a watch line by line, and injects its faults. */
export class WatchStream {
  readonly call: ApiCall
  readonly #from: IncomingMessage
  readonly #to: ServerResponse
  #isSilent = false
  /** The fault that is active until it is healed. */
  #lasting: PlannedFault<WatchFault> | undefined
  /** Sent after the next line. */
  #held: string | undefined

  constructor(call: ApiCall, from: IncomingMessage, to: ServerResponse) {
    this.call = call
    this.#from = from
    this.#to = to
    const lines = createInterface(from)
    lines.on('line', (line) => this.#take(line))
    // A connection that breaks is closed, too: see below.
    lines.on('error', () => undefined)
    from.once('close', () => {
      if (!this.#isSilent) to.end()
    })
  }

  inject(planned: PlannedFault<WatchFault>): void {
    switch (planned.fault.kind) {
      case 'garbage line':
        this.#send('this line is not JSON')
        break
      case 'gone':
        this.#send(JSON.stringify({ type: 'ERROR', object: statusBody(410) }))
        this.#end()
        break
      case 'end':
        this.#end()
        break
      case 'half-open':
        this.#isSilent = true
        break
      case 'duplicate':
      case 'reorder':
      case 'bookmarks only':
        this.#lasting = planned
    }
  }

  #take(line: string): void {
    for (const each of this.#apply(line)) this.#send(each)
  }

  /** The lines to send in place of this one. */
  #apply(line: string): readonly string[] {
    if (this.#held !== undefined) {
      const lines = [line, this.#held]
      this.#held = undefined
      return lines
    }
    switch (this.#lasting?.isHealed === false ? this.#lasting.fault.kind : undefined) {
      case 'duplicate':
        return [line, line]
      case 'reorder':
        this.#held = line
        return []
      case 'bookmarks only':
        return line.startsWith('{"type":"BOOKMARK"') ? [line] : []
      default:
        return [line]
    }
  }

  #send(line: string): void {
    if (!this.#isSilent) this.#to.write(`${line}\n`)
  }

  #end(): void {
    this.#to.end()
    this.#from.destroy()
  }
}
