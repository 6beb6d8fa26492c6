import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { clientAddress, networkOf } from '../rate-limit/client-address.ts'
import { whenOver } from './when-over.ts'

/** Of all connections. The longest answers, of the catalog, have 6 MB; a client that reads takes one in milliseconds. */
export const MOST_UNREAD_BYTES = 64 * 1024 * 1024
/** Shorter answers are not counted: the operating system takes them from this process, read or not. */
const COUNTED_FROM_BYTES = 4_096

interface Answer {
  readonly socket: Socket
  readonly network: string
  readonly bytes: number
}

/**
 * Bounds the bytes of answers that wait in this process until their clients read them, those behind other answers of their
 * connections included. Beyond the bound the network with the most loses the connection of its oldest answer.
 */
export class UnreadAnswers {
  readonly #most: number
  /** Oldest first. */
  readonly #answers = new Set<Answer>()
  #bytes = 0

  constructor(most: number) {
    this.#most = most
  }

  /** An answer is ready to be sent. Streams are not counted: each has a bound of its own. */
  add(request: IncomingMessage, response: ServerResponse, payload: unknown): void {
    if (isShort(payload)) return
    const bytes = bytesOf(payload)
    if (bytes < COUNTED_FROM_BYTES) return
    const { socket } = request
    const network = networkOf(clientAddress({ socket, headers: {} }, 0))
    const answer = { socket, network, bytes }
    this.#answers.add(answer)
    this.#bytes += bytes
    whenOver(request, response, () => this.#remove(answer))
    while (this.#bytes > this.#most && this.#answers.size > 1) this.#cutOldest()
  }

  #cutOldest(): void {
    const byNetwork = Map.groupBy(this.#answers, (answer) => answer.network)
    const sizes = [...byNetwork.values()].map((answers) => ({
      answers,
      bytes: answers.reduce((sum, { bytes }) => sum + bytes, 0),
    }))
    const [largest] = sizes.sort((a, b) => b.bytes - a.bytes)
    const socket = largest?.answers[0]?.socket
    for (const answer of this.#answers) if (answer.socket === socket) this.#remove(answer)
    socket?.destroy()
  }

  #remove(answer: Answer): void {
    if (this.#answers.delete(answer)) this.#bytes -= answer.bytes
  }
}

/** Most answers, probes among them, are so short that their bytes need no count: a character takes at most three. */
const isShort = (payload: unknown): boolean =>
  typeof payload === 'string' && payload.length * 3 < COUNTED_FROM_BYTES

function bytesOf(payload: unknown): number {
  if (typeof payload === 'string') return Buffer.byteLength(payload)
  return payload instanceof Uint8Array ? payload.byteLength : 0
}
