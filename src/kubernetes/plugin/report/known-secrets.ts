import { REDACTED } from './scrub-text.ts'

/** Shorter texts occur by chance: `true`, `admin`, `8080`. */
const MIN_LENGTH = 6
/** A word of a language, which a log has everywhere. */
const SHORT_WORD = /^[a-z]{1,8}$/

/**
 * Values that were removed from objects, to remove them from every other text too: a log may repeat the value of an
 * environment variable. Finds a value as it is, in base64 (at any offset), and encoded for URLs.
 */
export class KnownSecrets {
  readonly #forms = new Set<string>()
  readonly #names: readonly string[]

  /** @param names of objects and the like, which the report has to show */
  constructor(names: Iterable<string> = []) {
    this.#names = [...names]
  }

  learn(value: string): void {
    for (const text of [value, ...passwordsOf(value), ...valuesOf(value)]) {
      if (text.length < MIN_LENGTH || SHORT_WORD.test(text)) continue
      if (this.#names.some((name) => name.includes(text))) continue
      for (const form of formsOf(text)) this.#forms.add(form)
    }
  }

  /** Only the password of an address, which itself may be public. */
  learnAddress(value: string): void {
    for (const password of passwordsOf(value)) this.learn(password)
  }

  removeFrom(text: string): string {
    // The longest first: a form may be a part of another one.
    const forms = [...this.#forms].sort((one, other) => other.length - one.length)
    return forms.reduce((rest, form) => rest.replaceAll(form, REDACTED), text)
  }
}

/** The password in a URL, as written and decoded. */
function passwordsOf(value: string): readonly string[] {
  return value.split(/[\r\n]/).flatMap((line) => {
    // Without the rest every match succeeds at once, however long the line is.
    const address = line.slice(0, line.lastIndexOf('@') + 1)
    const [, password] = /:\/\/[^:/?#\s]*:(.+)@$/.exec(address) ?? []
    return password === undefined ? [] : [password, decoded(password)]
  })
}

/** The text after the equals sign of an argument such as `--token=...`. */
function valuesOf(text: string): readonly string[] {
  const [, value] = /^[\w-]+=(.+)$/.exec(text) ?? []
  return value === undefined ? [] : [value]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function formsOf(text: string): readonly string[] {
  const bytes = Buffer.from(text, 'utf8')
  const inBase64 = [0, 1, 2].flatMap((offset) => {
    // Without the characters at both ends, which depend on the bytes beside the value.
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes])
    const whole = shifted.toString('base64').replace(/=+$/, '')
    const start = offset === 0 ? 0 : offset + 1
    const middle = whole.slice(start, shifted.length % 3 === 0 ? undefined : -1)
    return [middle, middle.replaceAll('+', '-').replaceAll('/', '_')]
  })
  return [
    text,
    JSON.stringify(text).slice(1, -1),
    encodeURIComponent(text),
    ...inBase64.filter((form) => form.length >= MIN_LENGTH),
  ]
}
