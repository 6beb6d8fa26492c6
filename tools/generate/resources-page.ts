import {
  channelPoolConditionTypes,
  channelPoolReasons,
} from '../../src/kubernetes/crd/channel-pool/conditions.ts'
import { customResourceDefinition } from '../../src/kubernetes/crd/definitions/crd.ts'
import type { StructuralSchema } from '../../src/kubernetes/crd/definitions/structural.ts'
import {
  facilitatorConditionTypes,
  facilitatorEventReasons,
  facilitatorReasons,
} from '../../src/kubernetes/crd/facilitator/conditions.ts'
import { GROUP, type KindName, kinds, VERSION } from '../../src/kubernetes/crd/names/group.ts'

const conditions = {
  Facilitator: {
    types: facilitatorConditionTypes,
    reasons: { ...facilitatorReasons, ...facilitatorEventReasons },
  },
  ChannelPool: { types: channelPoolConditionTypes, reasons: channelPoolReasons },
} as const

/** `docs/resources.md`, from the definitions. */
export function resourcesPage(made: string): string {
  const blocks = [
    '# Resources',
    'This page lists every field, rule, condition and reason of both kinds. For an introduction see [facilitators.md](facilitators.md).',
    made,
    [
      `The API has two kinds in \`${GROUP}\`. The definitions are in \`crds/\`; \`svc crds\` prints them, and \`kubectl explain\` describes each field.`,
      'The name of an object is at most 63 lower-case letters, digits and `-`, because names of Services and labels contain it.',
      'Default *filled in*: you can leave the object out, because its fields have defaults.',
    ].join('\n'),
    '## Version',
    [
      `Both kinds have one version, ${code(VERSION)}. A release may add fields and enum values: clients must accept unknown values in a status.`,
      'It removes no field and narrows none: a test compares the definitions with their recorded fields (`test/fixtures/api`).',
      'An operator that is older than the definitions leaves the fields of a spec alone that it does not know.',
    ].join('\n'),
    '## Annotations that you set',
    table('| Annotation | On | Meaning |\n| - | - | - |', [
      '| `x402.svc.dev/paused: "true"` | both | The operator changes nothing until you remove it. The deletion of a ChannelPool with `Retire` waits, too. |',
      '| `x402.svc.dev/skip-preflight: "true"` | Facilitator | The operator replaces pods that serve without a preflight. Remove it afterwards. |',
      '| `x402.svc.dev/restartedAt: <a new value>` | Facilitator | The operator replaces every pod once. |',
      '| `x402.svc.dev/take-over: <namespace/name>` | ChannelPool in `Conflict` with that pool | This pool takes over the sponsor and the channels of that one. Set it only when that pool no longer exists. |',
      '| `x402.svc.dev/take-over: <id of a store>` | ChannelPool in `SponsorMarked` with that store | This pool takes over the sponsor and its channels. Set it only when nothing uses that store any more, and remove it afterwards. |',
      '| `x402.svc.dev/adopt-by: <name>` | object that `ChildNotOurs` names | The Facilitator of that name takes the object over and changes it. |',
      '| `x402.svc.dev/skip-cleanup: "true"` | ChannelPool being deleted | The deletion leaves the channels on the ledger: their reserves stay locked until you run `svc retire`. |',
    ]),
    '## Ready',
    [
      'Ready says one thing: **payments can be made now**. Of a Facilitator it is True while all of this holds, and of a ChannelPool while 4 does:',
      '',
      '1. The Service is its own, so that what is sent there reaches its pods.',
      '2. At least one facilitator pod is ready.',
      '3. The pods mount the seed of every network of the spec.',
      '4. Each pool has a channel that can be leased, and a sponsor that can pay for a settlement.',
      '5. The pods have not found that no payment can be made on the terms of the spec, in any asset and scheme of any network (`TermsUnpayable`). A trial that was not made counts as nothing found.',
      '',
      'Nothing else counts. What differs from the spec is Degraded, what changes is Progressing, and what waits for an administrator is Stalled, whether payments work or not.',
      'Where a Secret is gone or wrong, a pool keeps the Ready of the last observation, because pods that serve have read the Secret already. Ready is Unknown while the',
      'operator cannot see whether payments work: during an outage of the database or of Stellar RPC, while another pool manages the channels, or when the pool of pods that serve is gone.',
      'It is computed in `src/kubernetes/operator/facilitator/status/conditions/ready.ts`, and for a pool in `src/kubernetes/operator/channel-pool/status/conditions.ts`.',
      '[States](states.md) has an example of each.',
    ].join('\n'),
    ...(Object.keys(conditions) as KindName[]).flatMap(kindBlocks),
  ]
  return `${blocks.join('\n\n')}\n`
}

function kindBlocks(kind: KindName): string[] {
  const { shortNames, categories } = kinds[kind]
  const version = customResourceDefinition(kind).spec.versions[0]
  const schema = version?.schema.openAPIV3Schema
  if (schema === undefined) throw new Error(`${kind} has no version`)
  const { types, reasons } = conditions[kind]
  return [
    `## ${kind}`,
    `${schema.description ?? ''} Short name \`${shortNames.join(', ')}\`, category \`${categories.join(', ')}\`.`,
    '### Spec',
    fieldTable(schema.properties?.['spec']),
    '### Rules',
    table('| Object | Rule |\n| - | - |', ruleRows(schema, '')),
    '### Status',
    fieldTable(schema.properties?.['status']),
    '### Conditions',
    table('| Type | True means |\n| - | - |', meanings(types)),
    table('| Reason | Meaning |\n| - | - |', meanings(reasons)),
  ]
}

const meanings = (words: Readonly<Record<string, string>>): string[] =>
  Object.entries(words).map(([word, meaning]) => `| ${word} | ${meaning} |`)

const fieldTable = (schema: StructuralSchema | undefined): string =>
  table(
    '| Field | Type | Default | Meaning |\n| - | - | - | - |',
    schema ? fieldRows(schema, '') : [],
  )

function fieldRows(schema: StructuralSchema, prefix: string): string[] {
  const required = new Set(schema.required)
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`
    const row = `| \`${path}\` | ${typeOf(field)} | ${fallback(field, required.has(name))} | ${field.description ?? ''} |`
    const inner = field.items ? fieldRows(field.items, `${path}[].`) : fieldRows(field, `${path}.`)
    return [row, ...inner]
  })
}

function typeOf(field: StructuralSchema): string {
  if (field['x-kubernetes-int-or-string']) return 'quantity'
  if (field.items) return `list of ${typeOf(field.items)}, at most ${field['maxItems']}`
  if (Array.isArray(field['enum'])) return field['enum'].map(code).join(', ')
  if (field.additionalProperties) return `map, at most ${field['maxProperties']}`
  if (field['format'] === 'date-time') return 'time'
  const { minimum, maximum } = field
  const range = maximum === undefined ? '' : `, ${minimum} to ${maximum}`
  return `${field.type ?? ''}${range}`
}

function fallback(field: StructuralSchema, isRequired: boolean): string {
  if (isRequired) return 'required'
  const value = field['default']
  if (value === undefined) return ''
  return field.type === 'object' ? 'filled in' : code(value)
}

function ruleRows(schema: StructuralSchema, path: string): string[] {
  const rules = schema['x-kubernetes-validations']
  const own = Array.isArray(rules) ? rules : []
  return [
    ...own.map(
      ({ message }: { message: string }) =>
        `| ${path === '' ? 'the object' : code(path)} | ${message} |`,
    ),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
      ruleRows(field, path === '' ? name : `${path}.${name}`),
    ),
    ...(schema.items ? ruleRows(schema.items, `${path}[]`) : []),
  ]
}

const code = (value: unknown): string =>
  `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``

const table = (head: string, rows: readonly string[]): string => [head, ...rows].join('\n')
