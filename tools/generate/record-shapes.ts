import { readFileSync, writeFileSync } from 'node:fs'
import { load } from 'js-yaml'
import { customResourceDefinition } from '../../src/api/crd.ts'
import { type KindName, kinds, VERSION } from '../../src/api/group.ts'
import { toYaml } from '../../src/api/yaml.ts'
import { breakingChanges, type SchemaShape, shapeOf } from '../../test/support/api/schema-shape.ts'

/*
 * Records what the definitions promise, after fields were added: `node tools/generate/record-shapes.ts`.
 * It refuses to record a change that could break somebody; `--break` says that it is meant to, which
 * only an alpha version may.
 */

const folder = new URL('../../test/fixtures/api/', import.meta.url)

export const recordedShape = (kind: KindName): SchemaShape =>
  load(readFileSync(fileOf(kind), 'utf8')) as SchemaShape

export function presentShape(kind: KindName): SchemaShape {
  const schema = customResourceDefinition(kind).spec.versions[0]?.schema.openAPIV3Schema
  if (!schema) throw new Error(`${kind} has no schema`)
  return shapeOf(schema)
}

const fileOf = (kind: KindName): URL => new URL(`${kinds[kind].plural}-${VERSION}.yaml`, folder)

function record(mayBreak: boolean): void {
  for (const kind of Object.keys(kinds) as KindName[]) {
    const present = presentShape(kind)
    const broken = mayBreak ? [] : breakingChanges(recordedShape(kind), present)
    if (broken.length > 0) throw new Error(`${kind} would break:\n${broken.join('\n')}`)
    writeFileSync(fileOf(kind), toYaml(present))
  }
}

if (import.meta.main) record(process.argv.includes('--break'))
