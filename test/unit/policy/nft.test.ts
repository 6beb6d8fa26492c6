import { expect, test } from 'vitest'
import { nftFile } from '../../e2e/support/policy/nft.ts'
import { FakeNetwork, tcp } from './cluster.ts'

const podNetwork = '10.244.0.0/16'

test('the rules of the kernel refuse what no rule permits, and every pod that they do not know', () => {
  const network = new FakeNetwork(
    { db: { labels: { role: 'db' } }, client: { labels: { role: 'client' } } },
    [
      {
        podSelector: { matchLabels: { role: 'db' } },
        policyTypes: ['Ingress', 'Egress'],
        ingress: [
          { from: [{ podSelector: { matchLabels: { role: 'client' } } }], ports: [tcp(5_432)] },
          { from: [{ ipBlock: { cidr: '192.0.2.0/24', except: ['192.0.2.7/32'] } }] },
        ],
        egress: [{ ports: [{ protocol: 'UDP', port: 53 }, tcp(8_000, 8_080)] }],
      },
    ],
  )
  expect(nftFile(network.rules, { podNetwork })).toMatchInlineSnapshot(`
    "table ip svc_policies
    delete table ip svc_policies
    table ip svc_policies {
      chain forward {
        type filter hook forward priority 0; policy accept;
        ct state established,related accept
        ip saddr 10.244.0.1 ip daddr 10.244.0.1 accept
        ip saddr 10.244.0.2 ip daddr 10.244.0.2 accept
        ip saddr 10.244.0.0/16 ip saddr != { 10.244.0.1, 10.244.0.2 } counter reject with icmp type admin-prohibited
        ip daddr 10.244.0.0/16 ip daddr != { 10.244.0.1, 10.244.0.2 } counter reject with icmp type admin-prohibited
        ip saddr vmap { 10.244.0.1 : jump egress_10_244_0_1 }
        ip daddr vmap { 10.244.0.1 : jump ingress_10_244_0_1 }
      }
      chain input {
        type filter hook input priority 0; policy accept;
        ct state established,related accept
        iifname != "lo" ip saddr 10.244.0.0/16 ip saddr != { 10.244.0.1, 10.244.0.2 } counter reject with icmp type admin-prohibited
        ip saddr vmap { 10.244.0.1 : jump egress_10_244_0_1 }
      }
      chain egress_10_244_0_1 {
        udp dport 53 return
        tcp dport 8000-8080 return
        counter reject with icmp type admin-prohibited
      }
      chain ingress_10_244_0_1 {
        ip saddr { 10.244.0.2 } tcp dport 5432 return
        ip saddr 192.0.2.0/24 ip saddr != 192.0.2.7/32 return
        counter reject with icmp type admin-prohibited
      }
    }
    "
  `)
})

test('a cluster without pods refuses the whole network of the pods', () => {
  const file = nftFile([], { podNetwork })
  expect(file).toContain('ip saddr 10.244.0.0/16 counter reject')
  expect(file).toContain('ip daddr 10.244.0.0/16 counter reject')
})

test('a rule for pods of which there are none permits nothing', () => {
  const network = new FakeNetwork({ db: {} }, [
    { podSelector: {}, ingress: [{ from: [{ podSelector: { matchLabels: { no: 'pod' } } }] }] },
  ])
  expect(nftFile(network.rules, { podNetwork })).toContain('ip saddr 255.255.255.255 return')
})
