import type { z } from 'zod'
import { channelPool } from '../channel-pool.ts'
import { facilitator } from '../facilitator.ts'
import { GROUP, type KindName, kinds, VERSION } from '../names/group.ts'
import { annotations } from '../names/marks.ts'
import { type StructuralSchema, structuralSchema } from './structural.ts'

interface PrinterColumn {
  readonly name: string
  readonly type: 'string' | 'integer' | 'date'
  readonly jsonPath: string
  readonly description: string
  /** 0: always shown; 1: with `-o wide`. */
  readonly priority: 0 | 1
}

interface Scale {
  readonly specReplicasPath: string
  readonly statusReplicasPath: string
  readonly labelSelectorPath?: string
}

interface Surface {
  readonly schema: z.ZodType
  readonly scale: Scale
  readonly columns: readonly PrinterColumn[]
  readonly selectable: readonly string[]
}

const column = (
  name: string,
  jsonPath: string,
  description: string,
  { type = 'string', wide = false }: { type?: PrinterColumn['type']; wide?: boolean } = {},
): PrinterColumn => ({ name, type, jsonPath, description, priority: wide ? 1 : 0 })

const ofCondition = (type: string, member: string): string =>
  `.status.conditions[?(@.type=="${type}")].${member}`

const ofReady = (member: string): string => ofCondition('Ready', member)

const paused = column(
  'Paused',
  `.metadata.annotations.${annotations.paused.replaceAll('.', '\\.')}`,
  'true while the operator changes nothing; empty otherwise.',
)

const age = column('Age', '.metadata.creationTimestamp', 'Time since its creation.', {
  type: 'date',
})

const surfaces: Readonly<Record<KindName, Surface>> = {
  Facilitator: {
    schema: facilitator,
    scale: {
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.selector',
    },
    columns: [
      column('Ready', ofReady('status'), 'Whether payments can be made on every network.'),
      column('Replicas', '.status.summary.replicas', 'Ready and desired facilitator pods.'),
      column('Networks', '.status.summary.networks', 'Networks served.'),
      column('URL', '.status.url', 'Address of the facilitator.'),
      column('Reason', ofReady('reason'), 'Reason of Ready.'),
      column(
        'Rollout',
        ofCondition('Progressing', 'reason'),
        'Reason of Progressing: RolledOut, or what the change of pods waits for.',
      ),
      paused,
      age,
      column('Image', '.status.image', 'Image of the pods.', { wide: true }),
      column('Message', ofReady('message'), 'Message of Ready.', { wide: true }),
    ],
    selectable: [],
  },
  ChannelPool: {
    schema: channelPool,
    scale: {
      specReplicasPath: '.spec.channels',
      statusReplicasPath: '.status.channels.ready',
    },
    columns: [
      column('Network', '.spec.network', 'The Stellar network.'),
      column('Channels', '.status.summary.channels', 'Ready and desired channels.'),
      column('In Use', '.status.channels.inUse', 'Channels that settlements use.', {
        type: 'integer',
      }),
      column('Spendable', '.status.sponsor.spendableXlm', 'What the sponsor can spend, in XLM.'),
      column(
        'Ready',
        ofReady('status'),
        'Whether a settlement gets a channel that the sponsor can pay for.',
      ),
      paused,
      age,
      column('Balance', '.status.sponsor.balanceXlm', 'Balance of the sponsor in XLM.', {
        wide: true,
      }),
      column('Runway', '.status.sponsor.runwayHours', 'Hours until the balance is spent.', {
        type: 'integer',
        wide: true,
      }),
      column('Rotation', '.status.rotation.phase', 'Phase of the last change of the sponsor.', {
        wide: true,
      }),
      column('Address', '.status.sponsor.address', 'Address of the sponsor.', { wide: true }),
      column('Reason', ofReady('reason'), 'Reason of Ready.', { wide: true }),
    ],
    selectable: ['.spec.network'],
  },
}

/** The definition of one kind, to be applied to a cluster. */
export function customResourceDefinition(kind: KindName) {
  const { schema, scale, columns, selectable } = surfaces[kind]
  const { plural, singular, listKind, shortNames, categories } = kinds[kind]
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      preserveUnknownFields: false,
      names: { kind, listKind, plural, singular, shortNames, categories },
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: withObjectFields(structuralSchema(schema)) },
          subresources: { status: {}, scale },
          additionalPrinterColumns: columns,
          ...(selectable.length > 0 && {
            selectableFields: selectable.map((jsonPath) => ({ jsonPath })),
          }),
        },
      ],
    },
  }
}

/** The fields of every Kubernetes object, which the API server itself validates. */
const withObjectFields = (schema: StructuralSchema): StructuralSchema => ({
  ...schema,
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Version of the API that the object is written in.',
    },
    kind: { type: 'string', description: 'Kind of the object.' },
    // The API server refuses a description here: it has its own.
    metadata: { type: 'object' },
    ...schema.properties,
  },
})
