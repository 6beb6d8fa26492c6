/**
 * Things that several users share by what they are made from: made for the first user, closed after
 * the last one. A user has one of them at a time; taking another one gives the first back.
 */
export class SharedUse<Thing extends AsyncDisposable> implements AsyncDisposable {
  readonly #make: (key: string) => Promise<Thing>
  readonly #things = new Map<string, Promise<Thing>>()
  readonly #keys = new Map<string, string>()

  constructor(make: (key: string) => Promise<Thing>) {
    this.#make = make
  }

  async take(user: string, key: string): Promise<Thing> {
    const before = this.#keys.get(user)
    this.#keys.set(user, key)
    const thing = this.#things.get(key) ?? this.#makeOnce(key)
    if (before !== undefined && before !== key) await this.#closeUnused(before)
    return thing
  }

  async giveBack(user: string): Promise<void> {
    const key = this.#keys.get(user)
    this.#keys.delete(user)
    if (key !== undefined) await this.#closeUnused(key)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const things = [...this.#things.values()]
    this.#things.clear()
    this.#keys.clear()
    await Promise.allSettled(things.map(async (thing) => (await thing)[Symbol.asyncDispose]()))
  }

  /** What could not be made is forgotten, so that the next one tries again. */
  #makeOnce(key: string): Promise<Thing> {
    const thing = this.#make(key)
    this.#things.set(key, thing)
    thing.catch(() => this.#things.delete(key))
    return thing
  }

  async #closeUnused(key: string): Promise<void> {
    if ([...this.#keys.values()].includes(key)) return
    const thing = this.#things.get(key)
    this.#things.delete(key)
    await (await thing)?.[Symbol.asyncDispose]()
  }
}
