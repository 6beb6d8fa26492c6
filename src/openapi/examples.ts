import recorded from './examples.json' with { type: 'json' }

/** Operation and status, as in `verify 200`, or operation and `request`. */
export type ExampleName = `${string} ${string}`

type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>

/** Requests to a real service and its answers; a test records them and compares them on every run. */
const all: Readonly<Record<string, Examples>> = recorded

/** The member `examples` of a media type, or nothing. */
export function examplesOf(name: ExampleName): { examples?: Examples } {
  const examples = all[name]
  return examples === undefined ? {} : { examples }
}
