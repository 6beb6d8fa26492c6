import { createHash } from 'node:crypto'

export interface SharedUser {
  readonly uid: string
  readonly namespace: string | undefined
}

/**
 * Resources that several users of one namespace share by key, such as database connections by URL: opened for the first user,
 * closed after the last one. A user has one at a time; acquiring another releases the first. Namespaces share none: a
 * tenant chooses the key, and could exhaust the connections or the requests of another one, or shut its circuit breaker.
 */
export class SharedResources<Resource extends AsyncDisposable> implements AsyncDisposable {
  readonly #open: (key: string) => Promise<Resource>
  readonly #resources = new Map<string, Promise<Resource>>()
  readonly #keyOfUser = new Map<string, string>()

  constructor(open: (key: string) => Promise<Resource>) {
    this.#open = open
  }

  async acquire({ uid, namespace }: SharedUser, text: string): Promise<Resource> {
    const key = idOfShared(text, namespace)
    const before = this.#keyOfUser.get(uid)
    this.#keyOfUser.set(uid, key)
    const resource = this.#resources.get(key) ?? this.#openOnce(key, text)
    if (before !== undefined && before !== key) await this.#closeUnused(before)
    return resource
  }

  async release(uid: string): Promise<void> {
    const key = this.#keyOfUser.get(uid)
    this.#keyOfUser.delete(uid)
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

/**
 * Users choose the text, which may be long and hold a password.
 * @param namespace without a slash. Absent: the id is the same for all namespaces.
 */
export const idOfShared = (text: string, namespace = ''): string =>
  createHash('sha256').update(`${namespace}/${text}`).digest('base64')
