import { GROUP, type KindName, kinds } from '../names/group.ts'
import { customResourceDefinition } from './crd.ts'
import { toYaml } from './yaml.ts'

const names = Object.keys(kinds) as readonly KindName[]

/** Deep in a schema most of a line is indentation: short lists and objects stand on one line. */
const FLOW_COLUMNS = 120

/** The definitions as YAML, by file name, for `kubectl apply --server-side`. */
export const crdFiles = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    names.map((kind) => [
      `${GROUP}_${kinds[kind].plural}.yaml`,
      toYaml(customResourceDefinition(kind), { flowColumns: FLOW_COLUMNS }),
    ]),
  )
