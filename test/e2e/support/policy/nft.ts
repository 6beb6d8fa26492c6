import type { Permission, PodRules } from './rules.ts'

export const TABLE = 'svc_policies'

export interface NftOptions {
  /** The network of the pods. An address of it that no known pod has connects to nothing, and nothing to it. */
  readonly podNetwork: string
}

/**
 * A file for `nft -f` that replaces all rules at once.
 *
 * The forward hook sees addresses after kube-proxy has replaced that of a Service by that of a pod, and before it
 * replaces the source. With `bridge-nf-call-iptables` it also sees connections between pods of one bridge. The input hook
 * sees what pods send to the node, such as to an API server there. Nothing filters what a node sends.
 * A refused connection fails at once with "no route to host", which no missing or closed port causes.
 */
export function nftFile(pods: readonly PodRules[], { podNetwork }: NftOptions): string {
  const isolated = {
    egress: pods.filter(({ egress }) => egress !== undefined),
    ingress: pods.filter(({ ingress }) => ingress !== undefined),
  }
  const known = pods.map(({ address }) => address)
  const jumps = (direction: Direction) =>
    isolated[direction].length === 0
      ? []
      : [
          `ip ${subjectOf[direction]} vmap { ${isolated[direction]
            .map(({ address }) => `${address} : jump ${chainOf(direction, address)}`)
            .join(', ')} }`,
        ]
  const unknown = (field: string) =>
    `ip ${field} ${podNetwork}${known.length === 0 ? '' : ` ip ${field} != { ${known.join(', ')} }`} counter ${REJECT}`
  return [
    `table ip ${TABLE}`,
    `delete table ip ${TABLE}`,
    `table ip ${TABLE} {`,
    ...chain('forward', [
      'type filter hook forward priority 0; policy accept;',
      'ct state established,related accept',
      // A pod that connects to itself through its Service.
      ...known.map((address) => `ip saddr ${address} ip daddr ${address} accept`),
      unknown('saddr'),
      unknown('daddr'),
      ...jumps('egress'),
      ...jumps('ingress'),
    ]),
    ...chain('input', [
      'type filter hook input priority 0; policy accept;',
      'ct state established,related accept',
      // The address of the bridge is in the network of the pods, and belongs to the node.
      `iifname != "lo" ${unknown('saddr')}`,
      ...jumps('egress'),
    ]),
    ...(['egress', 'ingress'] as const).flatMap((direction) =>
      isolated[direction].flatMap((pod) =>
        chain(chainOf(direction, pod.address), [
          ...(pod[direction] ?? []).map((each) => `${matchOf(each, peerOf[direction])}return`),
          `counter ${REJECT}`,
        ]),
      ),
    ),
    '}',
    '',
  ].join('\n')
}

type Direction = 'ingress' | 'egress'

const REJECT = 'reject with icmp type admin-prohibited'

const subjectOf = { ingress: 'daddr', egress: 'saddr' } as const
const peerOf = { ingress: 'saddr', egress: 'daddr' } as const

const chainOf = (direction: Direction, address: string) =>
  `${direction}_${address.replaceAll('.', '_')}`

const chain = (name: string, lines: readonly string[]) => [
  `  chain ${name} {`,
  ...lines.map((line) => `    ${line}`),
  '  }',
]

/** Matches nothing for a peer that is no pod at present. */
function matchOf({ peer, ports }: Permission, field: 'saddr' | 'daddr'): string {
  const port =
    ports === 'any'
      ? ''
      : `${ports.protocol.toLowerCase()} dport ${ports.from === ports.to ? ports.from : `${ports.from}-${ports.to}`} `
  if (peer === 'any') return port
  if ('pods' in peer) {
    return `ip ${field} ${peer.pods.length === 0 ? '255.255.255.255' : `{ ${peer.pods.join(', ')} }`} ${port}`
  }
  const except = peer.except.map((block) => `ip ${field} != ${block} `).join('')
  return `ip ${field} ${peer.cidr} ${except}${port}`
}
