import { type Clock, systemClock } from '../../platform/core/time/clock.ts'
import type { DeliveryStore } from './delivery-store.ts'

interface Entry {
  readonly value: string
  readonly endsAt: number
}

interface MemoryDeliveryStoreOptions {
  /** Characters of all keys and values. Over it, those whose time is over are forgotten, and then those that were stored first. @default 64 Mi */
  readonly maxCharacters?: number
  /** @default the system's */
  readonly clock?: Pick<Clock, 'now'>
}

/** A full store looks for values whose time is over once in this time: there may be many that it has to keep. */
const CLEAR_MS = 1_000

/** For a server of one process: a restart forgets what was delivered. */
export class MemoryDeliveryStore implements DeliveryStore {
  /** In the order in which they were stored. */
  readonly #entries = new Map<string, Entry>()
  readonly #maxCharacters: number
  readonly #clock: Pick<Clock, 'now'>
  #characters = 0
  #clearedAt = -Infinity

  constructor({ maxCharacters = 2 ** 26, clock = systemClock }: MemoryDeliveryStoreOptions = {}) {
    this.#maxCharacters = maxCharacters
    this.#clock = clock
  }

  async putIfAbsent(key: string, value: string, ttlMs: number): Promise<string | undefined> {
    const found = this.#entries.get(key)
    if (found && found.endsAt > this.#clock.now()) return found.value
    this.#store(key, value, ttlMs)
    return undefined
  }

  async put(key: string, value: string, ttlMs: number): Promise<void> {
    this.#store(key, value, ttlMs)
  }

  async remove(key: string, value: string): Promise<void> {
    if (this.#entries.get(key)?.value === value) this.#forget(key)
  }

  #store(key: string, value: string, ttlMs: number): void {
    this.#forget(key)
    this.#entries.set(key, { value, endsAt: this.#clock.now() + ttlMs })
    this.#characters += key.length + value.length
    if (this.#characters > this.#maxCharacters) this.#clear()
    for (const oldest of this.#entries.keys()) {
      if (this.#characters <= this.#maxCharacters || oldest === key) return
      this.#forget(oldest)
    }
  }

  #clear(): void {
    const now = this.#clock.now()
    if (now < this.#clearedAt + CLEAR_MS) return
    this.#clearedAt = now
    for (const [key, { endsAt }] of this.#entries) if (endsAt <= now) this.#forget(key)
  }

  #forget(key: string): void {
    const found = this.#entries.get(key)
    if (!found) return
    this.#entries.delete(key)
    this.#characters -= key.length + found.value.length
  }
}
