import { createHash } from 'node:crypto'

/**
 * Resources that several users share by key, such as database connections by URL: opened for the first user,
 * closed after the last one. A user has one at a time; acquiring another releases the first.
 */
export class SharedResources<Resource extends AsyncDisposable> implements AsyncDisposable {
  readonly #open: (key: string) => Promise<Resource>
  readonly #resources = new Map<string, Promise<Resource>>()
  readonly #keyOfUser = new Map<string, string>()

  constructor(open: (key: string) => Promise<Resource>) {
    this.#open = open
  }

  async acquire(user: string, text: string): Promise<Resource> {
    const key = idOfShared(text)
    const before = this.#keyOfUser.get(user)
    this.#keyOfUser.set(user, key)
    const resource = this.#resources.get(key) ?? this.#openOnce(key, text)
    if (before !== undefined && before !== key) await this.#closeUnused(before)
    return resource
  }

  async release(user: string): Promise<void> {
    const key = this.#keyOfUser.get(user)
    this.#keyOfUser.delete(user)
    if (key !== undefined) await this.#closeUnused(key)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const resources = [...this.#resources.values()]
    this.#resources.clear()
    this.#keyOfUser.clear()
    await Promise.allSettled(
      resources.map(async (resource) => (await resource)[Symbol.asyncDispose]()),
    )
  }

  /** A failure is not kept: the next user tries again. */
  #openOnce(key: string, text: string): Promise<Resource> {
    const resource = this.#open(text)
    this.#resources.set(key, resource)
    resource.catch(() => this.#resources.delete(key))
    return resource
  }

  async #closeUnused(key: string): Promise<void> {
    if ([...this.#keyOfUser.values()].includes(key)) return
    const resource = this.#resources.get(key)
    this.#resources.delete(key)
    await (await resource)?.[Symbol.asyncDispose]()
  }
}

/** Users choose the text, which may be long and hold a password. */
export const idOfShared = (text: string): string =>
  createHash('sha256').update(text).digest('base64')
