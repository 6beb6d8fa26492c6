import http from 'node:http'
import { text } from 'node:stream/consumers'

/*
 * A chained network plugin (CNI 1.0): it tells the enforcer the address of each new pod, and lets no container start
 * before the rules hold it. Its configuration names the enforcer's `socket`.
 */
interface Configuration {
  readonly cniVersion: string
  readonly socket: string
  readonly prevResult?: { readonly ips?: readonly { readonly address: string }[] }
}

/** Longer than the enforcer takes to see a new pod, and shorter than the time limit of the container runtime. */
const LIMIT_MS = 30_000

const { CNI_COMMAND, CNI_CONTAINERID = '', CNI_ARGS = '' } = process.env

async function ask(socketPath: string, method: string, path: string, body: unknown): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const signal = AbortSignal.timeout(LIMIT_MS)
  const request = http.request({ socketPath, method, path, signal }, async (response) => {
    const answer = await text(response)
    if (response.statusCode === 200) resolve()
    else reject(new Error(answer))
  })
  request.once('error', reject)
  request.end(JSON.stringify(body))
  await promise
}

async function act(): Promise<void> {
  if (CNI_COMMAND === 'VERSION') {
    process.stdout.write(
      JSON.stringify({ cniVersion: '1.0.0', supportedVersions: ['0.4.0', '1.0.0'] }),
    )
    return
  }
  const configuration: Configuration = JSON.parse(await text(process.stdin))
  const { socket, prevResult } = configuration
  if (CNI_COMMAND === 'ADD') {
    const args = new Map(CNI_ARGS.split(';').map((each) => each.split('=') as [string, string]))
    await ask(socket, 'POST', '/pods', {
      namespace: args.get('K8S_POD_NAMESPACE'),
      name: args.get('K8S_POD_NAME'),
      containerId: CNI_CONTAINERID,
      address: prevResult?.ips?.[0]?.address.split('/')[0],
    })
    process.stdout.write(JSON.stringify(prevResult))
  }
  // A pod can be removed without the enforcer; its address stays in the rules as long as it runs.
  if (CNI_COMMAND === 'DEL') {
    await ask(socket, 'DELETE', `/pods/${CNI_CONTAINERID}`, undefined).catch(() => undefined)
  }
}

try {
  await act()
} catch (error) {
  // Codes from 100 are the plugin's own.
  const msg = `The policy enforcer does not have the pod: ${error instanceof Error ? error.message : error}`
  process.stdout.write(JSON.stringify({ cniVersion: '1.0.0', code: 100, msg }))
  process.exitCode = 1
}
