import { h, type VNode } from 'preact'
import { schemeNames } from '../../../../payments/protocol/schemes.ts'
import type { FeedFilters } from '../../../reads.ts'
import { confidences } from '../../../store/tables.ts'
import { confidenceWords } from '../../components/values/confidence.ts'
import { shortened } from '../../format/short.ts'
import { visibleText } from '../../format/visible-text.ts'
import { linkTo, pagePaths } from '../../links.ts'

/** A facilitator to choose from. */
export interface NamedFacilitator {
  readonly id: string
  readonly name: string
}

export interface FilterFormOptions {
  readonly filters: FeedFilters
  readonly facilitators: readonly NamedFacilitator[]
}

/** Every filter of the feed. The network is chosen in the header, and kept. */
export function filterForm({ filters, facilitators }: FilterFormOptions): VNode {
  return h(
    'details',
    { class: 'filters' },
    h('summary', { class: 'button quiet small' }, 'Filter'),
    h(
      'form',
      { action: pagePaths.payments, method: 'get' },
      filters.network && h('input', { type: 'hidden', name: 'network', value: filters.network }),
      textField('seller', 'Seller', 'G… or C…', filters.seller),
      textField('buyer', 'Buyer', 'G… or C…', filters.buyer),
      textField('asset', 'Asset', 'Contract, C…', filters.asset),
      choiceField('facilitator', 'Facilitator', filters.facilitator, facilitators),
      choiceField(
        'confidence',
        'Confidence',
        filters.confidence,
        confidences.map((id) => ({ id, name: confidenceWords[id].label })),
      ),
      choiceField(
        'scheme',
        'Scheme',
        filters.scheme,
        schemeNames.map((id) => ({ id, name: id })),
      ),
      h(
        'div',
        { class: 'actions' },
        h('button', { class: 'button small', type: 'submit' }, 'Apply'),
        h(
          'a',
          { class: 'button quiet small', href: linkTo.payments({ network: filters.network }) },
          'Clear',
        ),
      ),
    ),
  )
}

const textField = (name: string, label: string, hint: string, value: string | undefined): VNode =>
  h(
    'div',
    { class: 'field' },
    h('label', { for: `filter-${name}` }, label),
    h('input', {
      id: `filter-${name}`,
      name,
      value: value ?? '',
      placeholder: hint,
      maxLength: 56,
      autocomplete: 'off',
      spellcheck: false,
    }),
  )

const choiceField = (
  name: string,
  label: string,
  value: string | undefined,
  options: readonly NamedFacilitator[],
): VNode =>
  h(
    'div',
    { class: 'field' },
    h('label', { for: `filter-${name}` }, label),
    h(
      'select',
      { id: `filter-${name}`, name },
      h('option', { value: '' }, 'Any'),
      options.map((option) =>
        h(
          'option',
          { key: option.id, value: option.id, selected: option.id === value },
          option.name,
        ),
      ),
      // One that is not offered, from a link, stays chosen.
      value !== undefined &&
        options.every(({ id }) => id !== value) &&
        h('option', { value, selected: true }, visibleText(value)),
    ),
  )

const names = {
  seller: 'Seller',
  buyer: 'Buyer',
  asset: 'Asset',
  facilitator: 'Facilitator',
  confidence: 'Confidence',
  scheme: 'Scheme',
} as const
type ChipName = keyof typeof names

/** The filters in force, each a link that removes it. */
export function filterChips(
  filters: FeedFilters,
  facilitators: readonly NamedFacilitator[],
): VNode | false {
  const present = (Object.keys(names) as ChipName[]).filter((name) => filters[name] !== undefined)
  if (present.length === 0) return false
  return h(
    'ul',
    { class: 'chips', 'aria-label': 'Filters in force' },
    present.map((name) => {
      const text = wordsOf(name, filters[name] ?? '', facilitators)
      return h(
        'li',
        { key: name },
        h(
          'a',
          {
            class: 'chip',
            href: linkTo.payments({ ...filters, [name]: undefined }),
            title: filters[name],
            'aria-label': `Remove the filter ${names[name]} ${text}`,
          },
          h('span', { class: 'soft' }, names[name], ' '),
          h('bdi', null, text),
          h('span', { class: 'remove', 'aria-hidden': 'true' }, '×'),
        ),
      )
    }),
  )
}

function wordsOf(name: ChipName, value: string, facilitators: readonly NamedFacilitator[]): string {
  if (name === 'facilitator')
    return facilitators.find(({ id }) => id === value)?.name ?? visibleText(value)
  if (name === 'confidence') return confidenceWords[value as keyof typeof confidenceWords].label
  return shortened(value)
}
