import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

const module = 'github.com/prometheus-operator/prometheus-operator'
const version = 'v0.85.0'
/** As in a go.sum. */
const sum = 'h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s='

/** The CRDs of the Prometheus operator, or the reason for their absence. */
export async function prometheusDefinitions(): Promise<
  { readonly files: readonly string[] } | { readonly missing: string }
> {
  const found = await run('go', ['mod', 'download', '-json', `${module}@${version}`], {
    env: { ...process.env, GOWORK: 'off', GOFLAGS: '', GOTOOLCHAIN: 'local' },
  }).catch((error: unknown) => ({ error }))
  if ('error' in found) return { missing: `go does not fetch ${module}: ${found.error}` }
  const { Dir: folder, Sum: got }: { Dir: string; Sum: string } = JSON.parse(found.stdout)
  if (got !== sum) throw new Error(`${module} ${version} has another sum: ${got}`)
  const kinds = ['podmonitors', 'servicemonitors', 'prometheusrules']
  return {
    files: kinds.map((kind) =>
      join(folder, 'example/prometheus-operator-crd', `monitoring.coreos.com_${kind}.yaml`),
    ),
  }
}
