import { dump, loadAll } from 'js-yaml'
import type { Cluster } from '../../test/cluster/support/cluster.ts'

/** Values that replace the placeholders of the samples. */
export interface OwnValues {
  readonly rpcUrl: string
  readonly sponsorSecret: string
  readonly databaseUrl: string
}

interface Sample {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec?: Readonly<Record<string, unknown>>
}

/** The samples of `manifests/samples` as YAML, with these values in place of the placeholders. */
export async function samplesWith(cluster: Cluster, values: OwnValues): Promise<string> {
  const rendered = await cluster.kubectl(['kustomize', 'manifests/samples'])
  const samples = loadAll(rendered) as Sample[]
  return samples.map((sample) => dump(ownVersion(sample, values))).join('---\n')
}

function ownVersion(sample: Sample, { rpcUrl, sponsorSecret, databaseUrl }: OwnValues): object {
  const secrets: Readonly<Record<string, object>> = {
    'testnet-sponsor': { secret: sponsorSecret },
    'x402-database': { url: databaseUrl },
  }
  const stringData = sample.kind === 'Secret' ? secrets[sample.metadata.name] : undefined
  if (stringData) return { ...sample, stringData }
  if (sample.kind !== 'ChannelPool') return sample
  return { ...sample, spec: { ...sample.spec, rpc: { urls: [rpcUrl] } } }
}
