import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { load } from 'js-yaml'
import { customResourceDefinition } from '../../src/kubernetes/crd/definitions/crd.ts'
import { toYaml } from '../../src/kubernetes/crd/definitions/yaml.ts'
import { type KindName, kinds } from '../../src/kubernetes/crd/names/group.ts'
import { breakingChanges, type SchemaShape, shapeOf } from '../../test/support/api/schema-shape.ts'

/*
 * Records what each served version promises, after fields were added: `node tools/generate/record-shapes.ts`.
 * It refuses to record a change that could break stored objects or their writers. Such a change needs a field of
 * another name beside the one that stays; to change what no release has, delete the recorded file first.
 */

const folder = new URL('../../test/fixtures/api/', import.meta.url)

export const recordedShape = (kind: KindName, version: string): SchemaShape =>
  load(readFileSync(fileOf(kind, version), 'utf8')) as SchemaShape

export function presentShape(kind: KindName, version: string): SchemaShape {
  const found = customResourceDefinition(kind).spec.versions.find(({ name }) => name === version)
  if (!found?.served) throw new Error(`${kind} is no longer served as ${version}`)
  return shapeOf(found.schema.openAPIV3Schema)
}

const fileOf = (kind: KindName, version: string): URL =>
  new URL(`${kinds[kind].plural}-${version}.yaml`, folder)

function record(): void {
  for (const kind of Object.keys(kinds) as KindName[]) {
    for (const { name: version } of customResourceDefinition(kind).spec.versions) {
      const present = presentShape(kind, version)
      const isNew = !existsSync(fileOf(kind, version))
      const broken = isNew ? [] : breakingChanges(recordedShape(kind, version), present)
      if (broken.length > 0)
        throw new Error(`${kind} ${version} would break:\n${broken.join('\n')}`)
      writeFileSync(fileOf(kind, version), toYaml(present))
    }
  }
}

if (import.meta.main) record()
