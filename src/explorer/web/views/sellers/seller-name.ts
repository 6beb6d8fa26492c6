import { h, type VNode } from 'preact'
import type { SellerEntry } from '../../../records.ts'
import { address } from '../../components/values/address.ts'
import { claimedName } from '../../components/values/claimed-name.ts'
import { networkName } from '../../components/values/network.ts'
import { counted } from '../../format/count.ts'
import { linkTo } from '../../links.ts'

type NamedSeller = Pick<SellerEntry, 'payTo' | 'network' | 'serviceName' | 'resourceCount'> & {
  readonly registered?: boolean
}

/** A seller by its address, and the name that a catalog has for it, which is of one of its resources. */
export function sellerName(
  { payTo, network, serviceName, registered, resourceCount = 0 }: NamedSeller,
  showsNetwork: boolean,
): VNode {
  const href = linkTo.seller(payTo, { network })
  return h(
    'span',
    { class: 'named' },
    h(
      'span',
      { class: 'item' },
      address(payTo, { label: 'Seller', href }),
      registered && h('span', { class: 'tag' }, 'registered'),
      resourceCount > 1 && h('span', { class: 'tag' }, counted(resourceCount, 'resource')),
      showsNetwork && h('span', { class: 'tag' }, networkName(network)),
    ),
    claimedName(serviceName, href),
  )
}
