import { h, type VNode } from 'preact'
import { dataTable } from '../../../components/tables/data-table.ts'
import { visibleText } from '../../../format/visible-text.ts'
import type { Declared, DeclaredRow } from './declared.ts'

/** Inputs or outputs of a call, one in each row. */
export function schemaTable(caption: string, { rows, isCut }: Declared, empty: string): VNode[] {
  const hasPlaces = rows.some(({ place }) => place !== undefined)
  return [
    dataTable<DeclaredRow>({
      caption,
      class: 'schema',
      rows,
      keyOf: ({ place, name }) => `${place} ${visibleText(name)}`,
      empty,
      columns: [
        {
          label: 'Name',
          name: 'value-name',
          isRowHeader: true,
          cell: ({ name, isRequired }) => [
            h('code', null, h('bdi', null, visibleText(name))),
            isRequired && h('span', { class: 'tag' }, 'required'),
          ],
        },
        ...(hasPlaces ? [{ label: 'In', cell: ({ place }: DeclaredRow) => place }] : []),
        { label: 'Type', cell: ({ type }) => visibleText(type) },
        { label: 'Meaning', name: 'words', cell: meaning },
      ],
    }),
    ...(isCut
      ? [h('p', { class: 'soft' }, 'There is more; the JSON of the listing has all.')]
      : []),
  ]
}

function meaning({ description, allowed, default: given }: DeclaredRow): VNode | string {
  const parts = [
    description && h('bdi', null, visibleText(description)),
    allowed.length > 0 && h('span', { class: 'soft' }, `One of ${visibleText(allowed.join(', '))}`),
    given !== undefined && h('span', { class: 'soft' }, `Default ${visibleText(given)}`),
  ].filter(Boolean)
  return parts.length === 0 ? 'not said' : h('span', { class: 'named' }, parts)
}
