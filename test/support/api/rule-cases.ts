import type { KindName } from '../../../src/kubernetes/crd/names/group.ts'
import { facilitatorRuleCases } from './facilitator-rule-cases.ts'
import { type Manifest, poolManifest } from './manifests.ts'
import { sponsorRuleCases } from './sponsor-rule-cases.ts'
import { secretInUrlRules, urlRules } from './url-rule.ts'

/** A write that a rule checks: a creation, or a change of `before`. */
export interface Write {
  readonly what: string
  readonly before?: Manifest
  readonly after: Manifest
}

/** One rule of a definition with writes that it accepts and refuses; all satisfy the other rules. */
export interface RuleCase {
  readonly kind: KindName
  /** Path of the rule. */
  readonly at: string
  readonly message: string
  readonly accepted: readonly Write[]
  readonly refused: readonly Write[]
}

const deleting = {
  deletion: {
    policy: 'Retain',
    startedAt: '2026-01-01T00:00:00Z',
    accountsLeft: 0,
    unfinished: 1,
    unfinishedHashes: [],
  },
}

const rpc = (url: string, more = {}) => poolManifest({ rpc: { urls: [url], ...more } })
const pubnet = (url: string) =>
  poolManifest({ network: 'stellar:pubnet', rpc: { urls: ['https://rpc.example', url] } })

const poolRuleCases: readonly RuleCase[] = [
  urlRules('spec.rpc.urls[]', (url) => rpc(url)),
  secretInUrlRules(
    'spec.rpc.urls[]',
    (url) => rpc(url),
    'put the whole URL into a Secret and name that in rpc.secretRef, or a header of rpc.headersSecretRef',
  ),
  {
    kind: 'ChannelPool',
    at: 'spec.rpc',
    message: 'set either urls or secretRef, a Secret with the URLs',
    accepted: [
      {
        what: 'a Secret with the URLs',
        after: poolManifest({ rpc: { secretRef: { name: 'a' } } }),
      },
      {
        what: 'URLs, and a Secret with headers',
        after: rpc('https://a', { headersSecretRef: { name: 'a' } }),
      },
    ],
    refused: [
      { what: 'both', after: rpc('https://a', { secretRef: { name: 'a' } }) },
      { what: 'headers alone', after: poolManifest({ rpc: { headersSecretRef: { name: 'a' } } }) },
    ],
  },
  {
    kind: 'ChannelPool',
    at: 'spec',
    message: 'minSponsorBalanceXlm must be at most 1000000',
    accepted: [{ what: 'as much', after: poolManifest({ minSponsorBalanceXlm: '1000000' }) }],
    refused: [{ what: 'stroops', after: poolManifest({ minSponsorBalanceXlm: '250000000' }) }],
  },
  {
    kind: 'ChannelPool',
    at: '',
    message:
      "metadata.name must be at most 63 lower-case letters, digits and '-', begin with a letter and end with a letter or digit",
    accepted: [{ what: 'a label', after: poolManifest({}, { name: `a-1${'b'.repeat(60)}` }) }],
    refused: [
      { what: 'dots', after: poolManifest({}, { name: 'a.b' }) },
      { what: 'a digit first', after: poolManifest({}, { name: '1a' }) },
      { what: 'too many letters', after: poolManifest({}, { name: 'a'.repeat(64) }) },
    ],
  },
  {
    kind: 'ChannelPool',
    at: 'spec.rotation',
    message:
      'sweep must be Merge or Payment while mode is Emergency: who knows the seed can take what stays',
    accepted: [
      { what: 'a planned one', after: poolManifest({ rotation: { sweep: 'None' } }) },
      { what: 'no sweep', after: poolManifest({ rotation: { mode: 'Emergency' } }) },
      {
        what: 'a payment',
        after: poolManifest({ rotation: { mode: 'Emergency', sweep: 'Payment' } }),
      },
    ],
    refused: [
      {
        what: 'funds that stay',
        after: poolManifest({ rotation: { mode: 'Emergency', sweep: 'None' } }),
      },
    ],
  },
  {
    kind: 'ChannelPool',
    at: '',
    message:
      'spec.deletionPolicy cannot become Retire while the ChannelPool is being deleted: create it again, set Retire, then delete it',
    accepted: [
      {
        what: 'Retire before the deletion',
        before: poolManifest(),
        after: poolManifest({ deletionPolicy: 'Retire' }),
      },
      {
        what: 'Retain during the deletion',
        before: poolManifest({ deletionPolicy: 'Retire' }, { status: deleting }),
        after: poolManifest({ deletionPolicy: 'Retain' }, { status: deleting }),
      },
    ],
    refused: [
      {
        what: 'Retire during the deletion',
        before: poolManifest({}, { status: deleting }),
        after: poolManifest({ deletionPolicy: 'Retire' }, { status: deleting }),
      },
    ],
  },
  {
    kind: 'ChannelPool',
    at: 'spec',
    message: 'network cannot be changed: create another ChannelPool for the other network',
    accepted: [
      { what: 'the same network', before: poolManifest(), after: poolManifest({ channels: 9 }) },
    ],
    refused: [
      {
        what: 'the other network',
        before: poolManifest(),
        after: poolManifest({ network: 'stellar:pubnet' }),
      },
    ],
  },
  {
    kind: 'ChannelPool',
    at: 'spec',
    message: 'rpc.urls must all be https:// on stellar:pubnet',
    accepted: [{ what: 'https', after: pubnet('https://rpc2.example') }],
    refused: [{ what: 'http, even to this machine', after: pubnet('http://localhost:8000') }],
  },
  {
    kind: 'ChannelPool',
    at: 'spec.rpc',
    message:
      'urls must be https://, unless they name this machine (localhost, 127.0.0.1, [::1]) or allowHttp is true',
    accepted: [
      { what: 'http to localhost', after: rpc('http://localhost:8000/rpc') },
      { what: 'http to 127.0.0.1', after: rpc('http://127.0.0.1') },
      { what: 'http to ::1', after: rpc('http://[::1]:8000') },
      { what: 'http anywhere when allowed', after: rpc('http://rpc.example', { allowHttp: true }) },
    ],
    refused: [
      { what: 'http to another machine', after: rpc('http://rpc.example') },
      { what: 'a host name that starts with localhost', after: rpc('http://localhost.example') },
      { what: 'a host name that starts with 127.0.0.1', after: rpc('http://127.0.0.1.example/') },
    ],
  },
  {
    kind: 'ChannelPool',
    at: 'spec.autoscale',
    message: 'min must not be above max',
    accepted: [
      { what: 'one size', after: poolManifest({ autoscale: { min: 8, max: 8 } }) },
      { what: 'a maximum alone', after: poolManifest({ autoscale: { max: 4 } }) },
    ],
    refused: [
      { what: 'more than at most', after: poolManifest({ autoscale: { min: 9, max: 8 } }) },
    ],
  },
  {
    kind: 'ChannelPool',
    at: 'spec.autoscale',
    message: 'targetLeaseWait must be at most 60s',
    accepted: [
      { what: 'a minute', after: poolManifest({ autoscale: { max: 9, targetLeaseWait: '1m' } }) },
    ],
    refused: [
      { what: 'more', after: poolManifest({ autoscale: { max: 9, targetLeaseWait: '61s' } }) },
    ],
  },
  {
    kind: 'ChannelPool',
    at: 'spec.fees.inclusion',
    message: 'floorStroops (100 when left out) must not be above capStroops (10000 when left out)',
    accepted: [
      { what: 'the same', after: poolManifest({ fees: { inclusion: { floorStroops: '10000' } } }) },
    ],
    refused: [
      { what: 'more', after: poolManifest({ fees: { inclusion: { floorStroops: '10001' } } }) },
    ],
  },
  {
    kind: 'ChannelPool',
    at: 'spec.fees.inclusion',
    message: 'capStroops must be at most 1000000000, which are 100 XLM',
    accepted: [
      {
        what: 'as much',
        after: poolManifest({ fees: { inclusion: { capStroops: '1000000000' } } }),
      },
    ],
    refused: [
      { what: 'more', after: poolManifest({ fees: { inclusion: { capStroops: '1000000001' } } }) },
    ],
  },
]

/** For each rule of both kinds, by its path. */
export const ruleCases: readonly RuleCase[] = [
  ...poolRuleCases,
  ...sponsorRuleCases,
  ...facilitatorRuleCases,
]
