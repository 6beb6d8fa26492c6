/** Accounts on the ledger in the cluster, by `kubectl port-forward`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { NAMESPACE } from './manifests.ts'

export type Asset = 'XLM' | 'USDC'

/** Creates the accounts, with a trustline for USDC. */
export async function fund(
  kubeconfig: string,
  payments: readonly { readonly address: string; readonly asset: Asset }[],
): Promise<void> {
  const args = ['--namespace', NAMESPACE, 'port-forward', 'service/localnet', ':8000']
  const forward = spawn('kubectl', args, {
    env: { ...process.env, KUBECONFIG: kubeconfig },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(forward, 'exit')
  try {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    createInterface(forward.stdout).on('line', (line) => {
      const [, port] = /Forwarding from 127\.0\.0\.1:(\d+)/.exec(line) ?? []
      if (port !== undefined) resolve(port)
    })
    exited.then(() => reject(new Error('kubectl port-forward ended.')), reject)
    const port = await promise
    for (const { address, asset } of payments) {
      const url = `http://127.0.0.1:${port}/faucet?addr=${address}&asset=${asset}`
      const answer = await fetch(url, { method: 'POST', signal: AbortSignal.timeout(30_000) })
      if (!answer.ok) throw new Error(`The faucet refused ${address}: ${await answer.text()}`)
    }
  } finally {
    forward.kill()
    await exited
  }
}
