import { readdirSync, readFileSync } from 'node:fs'
import { load } from 'js-yaml'
import type { KindName } from '../../../../src/kubernetes/crd/names/group.ts'
import { usdcContracts } from '../../../../src/platform/core/caip2.ts'
import { facilitatorManifest, type Json, type Manifest, poolManifest } from '../manifests.ts'

/** A row of the table: one wrong manifest and what becomes of it. */
export interface WrongManifest {
  /** The changed part of a minimal manifest, as it is in the table. */
  readonly written: string
  readonly manifest: Manifest
  /** For a change that is refused: the object that exists. */
  readonly before?: Manifest
  /** `schema` and `rule`: the API server refuses it. Otherwise the reason of a condition. */
  readonly by: string
  /** The field that the refusal names; absent where it quotes what was written, and for conditions. */
  readonly at?: string
  /** A part of the sentence that the user reads. */
  readonly says: string
}

interface Table {
  readonly kind: KindName
  /** Path in the spec of what the rows write; of an entry of `spec.networks` when it is `networks`. */
  readonly within?: string
  readonly rows: readonly Row[]
}

type Row = Pick<WrongManifest, 'by' | 'says' | 'at'> & {
  readonly write: Json
  readonly before?: Json
  /** The status of the object that exists. */
  readonly status?: Json
  readonly name?: string
}

const folder = new URL('./tables/', import.meta.url)

/** In a table, the address of a contract that exists. */
const placeholders: Readonly<Record<string, string>> = {
  $USDC: usdcContracts['stellar:testnet'],
}

const read = (file: string): unknown =>
  load(
    readFileSync(new URL(file, folder), 'utf8').replaceAll(
      /\$USDC/g,
      (name) => placeholders[name] ?? name,
    ),
  )

const tableOf = (file: string): Table => read(file) as Table

function manifestOf({ kind, within }: Table, write: Json, name: string): Manifest {
  if (kind === 'ChannelPool') return poolManifest(write, { name })
  if (within === 'networks') {
    return facilitatorManifest({ networks: [{ channelPool: 'testnet', ...write }] }, { name })
  }
  return facilitatorManifest(within === undefined ? write : { [within]: write }, { name })
}

/** Manifests as near to wrong ones as the definitions allow: nothing refuses them. */
export const rightManifests: readonly Pick<WrongManifest, 'written' | 'manifest' | 'before'>[] = (
  read('../right-manifests.yaml') as readonly (Pick<Row, 'write' | 'before'> &
    Pick<Table, 'kind'>)[]
).map(({ kind, write, before }, at) => ({
  written: JSON.stringify(write),
  manifest: manifestOf({ kind, rows: [] }, write, `right-${at}`),
  ...(before && { before: manifestOf({ kind, rows: [] }, before, `right-${at}`) }),
}))

/** All rows, by the file of their table. */
export const wrongManifests: ReadonlyMap<string, readonly WrongManifest[]> = new Map(
  readdirSync(folder).map((file) => {
    const table = tableOf(file)
    const rows = table.rows.map(({ write, before, status, name, ...row }, at): WrongManifest => {
      const called = name ?? `row-${at}`
      return {
        ...row,
        written: JSON.stringify(name === undefined ? write : { name, ...write }),
        manifest: manifestOf(table, write, called),
        ...(before && {
          before: { ...manifestOf(table, before, called), ...(status && { status }) },
        }),
      }
    })
    return [file.replace('.yaml', ''), rows]
  }),
)
