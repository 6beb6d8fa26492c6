import { type ComponentChildren, h, type VNode } from 'preact'

export interface Column<Row> {
  /** Text for narrow screens, where each cell shows it beside its value. */
  readonly label: string
  /** Shown in the head of the column instead of the label. */
  readonly head?: VNode
  readonly cell: (row: Row) => ComponentChildren
  /** Numbers stand at the right. */
  readonly isNumber?: boolean
  /** Names the row. */
  readonly isRowHeader?: boolean
  /** Also a class of its cells, for the style sheet. */
  readonly name?: string
}

export interface TableOptions<Row> {
  /** The subject of the table, for screen readers. */
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** Shown instead of a table without rows. */
  readonly empty: ComponentChildren
  readonly class?: string
  /** Further attributes of the body. */
  readonly body?: Readonly<Record<string, string | number | undefined>>
}

/**
 * A table that becomes a list of cards on a narrow screen. The style sheet changes the display of its elements there, which
 * would take their roles from them; so each states its role.
 */
export function dataTable<Row>(options: TableOptions<Row>): VNode {
  const { caption, columns, rows, keyOf, empty } = options
  if (rows.length === 0 && options.body === undefined) return emptyState(empty)
  return h(
    'table',
    { class: `data ${options.class ?? ''}`.trim(), role: 'table' },
    h('caption', { class: 'unseen' }, caption),
    h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, columns.map(headCell))),
    h(
      'tbody',
      { role: 'rowgroup', ...options.body },
      rows.map((row) => dataRow(columns, row, keyOf(row))),
      rows.length === 0 &&
        h(
          'tr',
          { role: 'row', class: 'empty-row' },
          h('td', { role: 'cell', colSpan: columns.length }, emptyState(empty)),
        ),
    ),
  )
}

const headCell = <Row>({ label, head, isNumber, name }: Column<Row>): VNode =>
  h(
    'th',
    { key: label, scope: 'col', role: 'columnheader', class: classes(isNumber && 'number', name) },
    head ?? label,
  )

/** @param key the page has it for the script, which leaves out a live row that is there already */
export const dataRow = <Row>(columns: readonly Column<Row>[], row: Row, key: string): VNode =>
  h(
    'tr',
    { key, role: 'row', 'data-key': key },
    columns.map(({ label, cell, isNumber, isRowHeader, name }) =>
      h(
        isRowHeader ? 'th' : 'td',
        {
          key: label,
          class: classes(isNumber && 'number', name),
          'data-label': label,
          ...(isRowHeader ? { scope: 'row', role: 'rowheader' } : { role: 'cell' }),
        },
        cell(row),
      ),
    ),
  )

const classes = (...names: readonly (string | false | undefined)[]): string | undefined =>
  names.filter(Boolean).join(' ') || undefined

export const emptyState = (content: ComponentChildren): VNode => h('p', { class: 'empty' }, content)
