import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { loadAll } from 'js-yaml'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const run = promisify(execFile)

/*
 * Doubles: `kind`, `kubectl`, `helm` and `docker` only write down how they were called. This shows the commands and
 * their order, not that they work: a cluster of kind needs Docker and an image from a registry.
 */
describe('make kind, with doubles in place of docker, kind, kubectl and helm', () => {
  let folder: string
  let journal: string
  const faucet = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.end('{}')
  })
  const asked: string[] = []

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-kind-'))
    journal = join(folder, 'journal')
    await new Promise<void>((resolve) => faucet.listen(0, '127.0.0.1', resolve))
    const { port } = Object(faucet.address())
    for (const name of ['docker', 'kind', 'kubectl', 'helm']) {
      const path = join(folder, name)
      await writeFile(
        path,
        `#!/bin/sh
echo "${name} $*" >> "$JOURNAL"
case "$*" in *port-forward*) echo "Forwarding from 127.0.0.1:${port} -> 8000"; exec sleep 60 ;; esac
`,
      )
      await chmod(path, 0o755)
    }
  })
  afterAll(async () => {
    faucet.close()
    await rm(folder, { recursive: true, force: true })
  })

  const kind = (path: string, ...args: readonly string[]) =>
    run(process.execPath, ['tools/kind/run.ts', ...args], {
      env: { PATH: path, JOURNAL: journal, IMAGE_ARCHIVE: 'image.tar', HOME: folder },
    })

  test('loads the image, installs as the page says, and pays once', async () => {
    const path = [folder, '/usr/bin', '/bin'].join(delimiter)
    const { stdout } = await kind(path)
    const calls = (await readFile(journal, 'utf8')).trimEnd().split('\n')
    const order = [
      /^docker info$/,
      /^kind create cluster --name x402 --wait 120s .*--config dist\/kind\/cluster.yaml$/,
      /^kind load image-archive image.tar --name x402$/,
      /^kubectl apply -f dist\/kind\/infra.yaml$/,
      /^kubectl --namespace infra port-forward service\/localnet :8000$/,
      /^helm install stellar-x402 charts\/stellar-x402 --namespace x402-system .*--wait$/,
      /^helm test stellar-x402 /,
      /^kubectl --namespace shop create secret .*--from-literal=secret=S[A-Z2-7]{55}$/,
      /^kubectl --namespace shop create secret .*@postgres\.infra:5432\/x402$/,
      /^kubectl --namespace shop apply -f dist\/kind\/facilitator.yaml$/,
      /^kubectl --namespace shop wait --for=condition=Ready facilitator\/payments /,
      /^kubectl apply -f dist\/kind\/seller.yaml$/,
      /^kubectl apply -f dist\/kind\/buyer.yaml$/,
      /^kubectl --namespace infra wait --for=condition=Complete job\/buyer /,
    ]
    const places = order.map((pattern) => calls.findIndex((call) => pattern.test(call)))
    expect(places).toEqual(places.toSorted((one, other) => one - other))
    expect(places, calls.join('\n')).not.toContain(-1)
    expect(asked.map((url) => new URL(url, 'http://x').searchParams.get('asset'))).toEqual([
      'XLM',
      'USDC',
      'USDC',
    ])
    expect(stdout).toContain('make kind-delete')
    expect(stdout, 'the seed of the sponsor').not.toMatch(/S[A-Z2-7]{55}/)
    const [pool] = loadAll(await readFile('dist/kind/facilitator.yaml', 'utf8')).map(Object)
    expect(pool.spec.rpc).toEqual({ urls: ['http://localnet.infra:8000'], allowHttp: true })
  })

  test('skips with the reason where a program is missing', async () => {
    const programs = join(folder, 'none')
    await run('mkdir', [programs])
    await symlink('/bin/bash', join(programs, 'bash'))
    await symlink(join(folder, 'docker'), join(programs, 'docker'))
    const { stdout } = await kind([programs, dirname(process.execPath)].join(delimiter))
    expect(stdout).toBe('make kind: skipped, since kind is not in the PATH.\n')
  })
})
