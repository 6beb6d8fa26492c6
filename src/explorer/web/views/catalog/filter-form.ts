import { h, type VNode } from 'preact'
import { schemeNames } from '../../../../payments/protocol/schemes.ts'
import { cleanLine } from '../../../../platform/core/text/hostile-text.ts'
import { shortened } from '../../format/short.ts'
import { visibleText } from '../../format/visible-text.ts'
import { type CatalogQuery, linkTo, pagePaths } from '../../links.ts'
import { type CatalogFilters, type FilterName, filterNames } from './filters.ts'
import { trustWords } from './trust.ts'

/** The box for a question, and every filter. The network is chosen in the header, and kept. */
export const searchForm = (question: string | undefined, filters: CatalogFilters): VNode =>
  h(
    'form',
    {
      ...{ class: 'catalog-search', role: 'search', 'aria-label': 'Catalog' },
      ...{ action: pagePaths.catalog, method: 'get' },
    },
    filters.network && h('input', { type: 'hidden', name: 'network', value: filters.network }),
    filters.payTo && h('input', { type: 'hidden', name: 'payTo', value: filters.payTo }),
    h(
      'div',
      { class: 'question' },
      h('label', { for: 'question', class: 'unseen' }, 'What do you need?'),
      h('input', {
        id: 'question',
        type: 'search',
        name: 'q',
        value: cleanLine(question ?? ''),
        placeholder: 'Ask in words: weather forecast under 2 cents',
        maxLength: 500,
        autocomplete: 'off',
      }),
      h('button', { class: 'button', type: 'submit' }, 'Search'),
    ),
    h(
      'div',
      { class: 'fields' },
      choiceField('type', filters, { http: 'HTTP call', mcp: 'MCP tool' }),
      textField('maxPrice', filters, 'US dollars, or units of the asset'),
      textField('asset', filters, 'USDC, or a contract C…'),
      choiceField('scheme', filters, Object.fromEntries(schemeNames.map((name) => [name, name]))),
      choiceField(
        'trust',
        filters,
        Object.fromEntries(Object.entries(trustWords).map(([id, { label }]) => [id, label])),
      ),
    ),
  )

const textField = (name: FilterName, filters: CatalogFilters, hint: string): VNode =>
  h(
    'div',
    { class: 'field' },
    h('label', { for: `filter-${name}` }, filterNames[name]),
    h('input', {
      id: `filter-${name}`,
      name,
      value: filters[name] ?? '',
      placeholder: hint,
      maxLength: 56,
      autocomplete: 'off',
      spellcheck: false,
    }),
  )

function choiceField(
  name: FilterName,
  filters: CatalogFilters,
  options: Readonly<Record<string, string>>,
): VNode {
  const value = filters[name]
  return h(
    'div',
    { class: 'field' },
    h('label', { for: `filter-${name}` }, filterNames[name]),
    h(
      'select',
      { id: `filter-${name}`, name },
      h('option', { value: '' }, 'Any'),
      Object.entries(options).map(([id, label]) =>
        h('option', { key: id, value: id, selected: id === value }, label),
      ),
      // One that is not offered, from a link, stays chosen.
      value !== undefined &&
        !Object.hasOwn(options, value) &&
        h('option', { value, selected: true }, visibleText(value)),
    ),
  )
}

/** The filters in force, each a link that removes it. */
export function filterChips(here: CatalogQuery): VNode | false {
  const present = (Object.keys(filterNames) as FilterName[]).filter(
    (name) => here[name] !== undefined,
  )
  if (present.length === 0) return false
  return h(
    'ul',
    { class: 'chips', 'aria-label': 'Filters in force' },
    present.map((name) => {
      const text = shortened(visibleText(here[name] ?? ''))
      return h(
        'li',
        { key: name },
        h(
          'a',
          {
            class: 'chip',
            href: linkTo.catalog({ ...here, [name]: undefined }),
            'aria-label': `Remove the filter ${filterNames[name]} ${text}`,
          },
          h('span', { class: 'soft' }, filterNames[name], ' '),
          h('bdi', null, text),
          h('span', { class: 'remove', 'aria-hidden': 'true' }, '×'),
        ),
      )
    }),
  )
}
