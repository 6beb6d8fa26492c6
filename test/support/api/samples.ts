import { readFileSync } from 'node:fs'
import { loadAll } from 'js-yaml'

const folder = new URL('../../../manifests/samples/', import.meta.url)

/** An object of a sample, of any kind. */
export interface SampleObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec?: unknown
  readonly stringData?: Readonly<Record<string, string>>
}

export const sampleText = (file: string): string => readFileSync(new URL(file, folder), 'utf8')

/** The objects of a file of the samples. */
const objectsOf = (file: string): readonly SampleObject[] =>
  loadAll(sampleText(file)).map((object) => object as SampleObject)

/** The objects that `kubectl apply -k` applies from a folder of the samples, included folders first. */
export function sampleObjects(sample: string): readonly SampleObject[] {
  const [kustomization] = loadAll(sampleText(`${sample}/kustomization.yaml`))
  const { resources } = Object(kustomization) as { readonly resources: readonly string[] }
  return resources.flatMap((resource) =>
    resource.endsWith('.yaml')
      ? objectsOf(`${sample}/${resource}`)
      : sampleObjects(resource.replace('../', '')),
  )
}
