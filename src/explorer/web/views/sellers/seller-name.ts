import { h, type VNode } from 'preact'
import type { SellerEntry } from '../../../records.ts'
import { address } from '../../components/address.ts'
import { networkName } from '../../components/network.ts'
import { visibleText } from '../../format/visible-text.ts'
import { linkTo } from '../../links.ts'

type NamedSeller = Pick<SellerEntry, 'payTo' | 'network' | 'serviceName'> & {
  readonly registered?: boolean
}

/** A seller by its name and its address; only a catalog gives a name. */
export function sellerName(
  { payTo, network, serviceName, registered }: NamedSeller,
  showsNetwork: boolean,
): VNode {
  const href = linkTo.seller(payTo, { network })
  const name = serviceName && visibleText(serviceName)
  return h(
    'span',
    { class: 'named' },
    name && h('a', { href, class: 'name' }, h('bdi', null, name)),
    h(
      'span',
      { class: 'item' },
      address(payTo, { label: 'Seller', href }),
      registered && h('span', { class: 'tag' }, 'registered'),
      showsNetwork && h('span', { class: 'tag' }, networkName(network)),
    ),
  )
}
