/** Text that is safe to send as HTML. */
export class Html {
  readonly text: string

  /** @param text HTML as it stands; use `html` for everything that is not written in the source. */
  constructor(text: string) {
    this.text = text
  }
}

type Value = Html | readonly Html[] | string | number

/** Builds HTML; every value that is not HTML itself is escaped, for elements and for quoted attributes. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(parts.reduce((text, part, at) => text + textOf(values[at - 1] ?? '') + part))
}

function textOf(value: Value): string {
  if (value instanceof Html) return value.text
  if (typeof value === 'object') return value.map(({ text }) => text).join('')
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
