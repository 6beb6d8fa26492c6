import { customResourceDefinition } from '../../../../../src/kubernetes/crd/definitions/crd.ts'
import { causeOf } from '../../../../../src/kubernetes/crd/fields/cause.ts'
import type { KindName } from '../../../../../src/kubernetes/crd/names/group.ts'
import type { Condition } from '../../../../../src/kubernetes/runtime/objects/conditions.ts'

/** An object in one state, as the API server has it after a pass of the operator. */
export interface State {
  readonly kind: KindName
  readonly name: string
  readonly conditions: readonly Condition[]
  /** The whole status. */
  readonly status: object
  /** `Warning SponsorLow`. */
  readonly events: readonly string[]
  /** What a person has to do; absent where nothing. */
  readonly todo: string | undefined
}

const shown: Readonly<Record<KindName, readonly string[]>> = {
  Facilitator: ['Replicas', 'URL', 'Reason', 'Rollout'],
  ChannelPool: ['Channels', 'Ready', 'Reason'],
}

const judged = ['Ready', 'Degraded', 'Progressing', 'Stalled'] as const

/** What the path of a column finds: members, and conditions by their type. */
function columnOf(path: string, object: object): string {
  const steps = path.slice(1).match(/[^.[]+|\[[^\]]*\]/g) ?? []
  const found = steps.reduce<unknown>((value, step) => {
    const type = /@\.type=="(\w+)"/.exec(step)?.[1]
    if (type === undefined) return Object(value)[step]
    return (value as readonly Condition[] | undefined)?.find((each) => each.type === type)
  }, object)
  return found === undefined ? '' : String(found)
}

const columnsOf = ({ kind, status }: State): string =>
  customResourceDefinition(kind)
    .spec.versions[0]?.additionalPrinterColumns.filter(({ name }) => shown[kind].includes(name))
    .map(({ jsonPath }) => columnOf(jsonPath, { status }) || '-')
    .join(', ') ?? ''

/** The sentence about what is worst: why nothing goes on, else why payments or the spec are not well. */
function sentenceOf({ conditions }: State): string {
  const find = (type: string) => conditions.find((each) => each.type === type)
  const worst = [
    ...conditions.filter(({ type, status }) => type === 'Stalled' && status === 'True'),
    ...conditions.filter(({ type, status }) => type === 'Ready' && status !== 'True'),
    ...conditions.filter(({ type, status }) => type === 'Degraded' && status === 'True'),
    ...conditions.filter(({ type, status }) => type === 'Progressing' && status !== 'False'),
  ][0]
  return (worst && causeOf(conditions, worst.reason)?.message) ?? find('Ready')?.message ?? ''
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

function rowOf(state: State): string {
  const { conditions, name, events, todo } = state
  const values = judged.map((type) => {
    const { status = '', reason = '' } = conditions.find((each) => each.type === type) ?? {}
    return `${status} \`${reason}\``
  })
  const cells = [
    name,
    ...values,
    columnsOf(state),
    events.join(', '),
    sentenceOf(state),
    todo ?? '',
  ]
  return `| ${cells.map(cell).join(' | ')} |`
}

const tableOf = (kind: KindName, states: readonly State[]): string =>
  [
    `| When | ${judged.join(' | ')} | ${shown[kind].join(', ')} | Event | It says | Do |`,
    `|${' - |'.repeat(judged.length + 5)}`,
    ...states.filter((state) => state.kind === kind).map(rowOf),
  ].join('\n')

/** docs/states.md, whose tables are what the tests of the states found. */
export const conditionsPage = (states: readonly State[]): string => `# States

This page lists the states of both kinds: their conditions, columns and events, what they say, and what to do. [Resources](resources.md#conditions) defines the conditions.

A test (\`test/unit/kubernetes/operator/states\`) brings an object into each state, and compares this page with what it finds. An event is that of an object
which was well before. Each sentence stands in one condition: the others name the one that has it. \`kubectl svc status\` shows it with the object that it is about.

## Facilitator

${tableOf('Facilitator', states)}

## ChannelPool

${tableOf('ChannelPool', states)}
`
