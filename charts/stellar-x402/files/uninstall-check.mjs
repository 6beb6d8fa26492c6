// Before an uninstallation that deletes the definitions: fails while pools exist whose deletion only the operator can finish.
import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

const TRIES = 5
const PAUSE_MS = 2_000

const { API_URL, TOKEN_FILE, NAMESPACES } = process.env
const token = (await readFile(TOKEN_FILE, 'utf8')).trim()

/** Every ChannelPool of a namespace, or of all; none without the definition. */
async function poolsOf(namespace) {
  const within = namespace === '' ? '' : `namespaces/${namespace}/`
  const url = `${API_URL}/apis/x402.svc.dev/v1beta1/${within}channelpools`
  const headers = { authorization: `Bearer ${token}` }
  for (let left = TRIES - 1; ; left--) {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(10_000) })
    if (response.status === 404) return []
    if (response.ok) return (await response.json()).items
    // Busy, or it has not read a new definition yet.
    const passes = response.status === 429 || response.status >= 500
    if (!passes || left === 0) {
      throw new Error(`The API server answers ${response.status} to ${url}`)
    }
    await pause(PAUSE_MS)
  }
}

const all = await Promise.all((NAMESPACES ?? '').split(',').map(poolsOf))
const unfinished = all.flat().filter(({ metadata }) => metadata.finalizers?.length > 0)
for (const { metadata } of unfinished) {
  const { namespace, name } = metadata
  process.stderr.write(
    metadata.deletionTimestamp === undefined
      ? `Delete ChannelPool ${namespace}/${name} first: kubectl --namespace ${namespace} delete channelpool/${name}\n`
      : `Wait until ChannelPool ${namespace}/${name} is deleted: its conditions say what it waits for.\n`,
  )
}
if (unfinished.length > 0) {
  process.stderr.write(
    'crds.keep is false: the uninstallation deletes these pools too, but without the operator their deletion does not finish.\n',
  )
  process.exit(1)
}
