import ofService from './examples.json' with { type: 'json' }
import ofExplorer from './examples-explorer.json' with { type: 'json' }

/** Operation and status, as in `verify 200`, or operation and `request`. */
type ExampleName = `${string} ${string}`

type NamedExamples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>

/** Requests to a real service and its answers, by `ExampleName`; tests record them and compare them on every run. */
export type Examples = Readonly<Record<string, NamedExamples>>

export const serviceExamples: Examples = ofService
export const explorerExamples: Examples = ofExplorer

/** The member `examples` of a media type, or nothing. */
export function examplesOf(all: Examples, name: ExampleName): { examples?: NamedExamples } {
  const examples = all[name]
  return examples === undefined ? {} : { examples }
}
