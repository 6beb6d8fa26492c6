import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { tarOf } from '../../../tools/image/tar.ts'
import { treeEntries } from '../../../tools/image/tree.ts'

const project = join(import.meta.dirname, '../../..')
const MODULES = 'node_modules/'

interface LockedPackage {
  readonly version: string
  readonly name?: string
  readonly integrity?: string
}

/** A registry of the packages in this clone's node_modules. */
export interface LocalRegistry extends AsyncDisposable {
  readonly url: string
}

/**
 * Serves what package-lock.json names and npm has installed, so that npm installs from it without the internet. Packages
 * for other platforms are listed and not served: npm skips them by their `os` and `cpu`.
 */
export async function startLocalRegistry(): Promise<LocalRegistry> {
  const packages = lockedPackages()
  const server = createServer(({ url = '' }, response) => {
    const [name = '', version] = decodeURIComponent(url.slice(1)).split('/-/')
    const versions = packages.get(name)
    if (versions === undefined) return refuse(response)
    if (version === undefined) return answer(response, name, versions)
    const folder = versions.get(version)?.folder
    return folder === undefined ? refuse(response) : sendTarball(response, folder)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

interface Version {
  /** Absent: not installed, as it is for another platform. */
  readonly folder: string | undefined
  readonly locked: LockedPackage
}

/** By name, then by version. */
function lockedPackages(): ReadonlyMap<string, Map<string, Version>> {
  const lock = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'))
  const found = new Map<string, Map<string, Version>>()
  for (const [path, locked] of Object.entries<LockedPackage>(lock.packages)) {
    if (path === '') continue
    const name = locked.name ?? path.slice(path.lastIndexOf(MODULES) + MODULES.length)
    const folder = join(project, path)
    const versions = found.get(name) ?? new Map<string, Version>()
    versions.set(locked.version, { locked, folder: existsSync(folder) ? folder : undefined })
    found.set(name, versions)
  }
  return found
}

function answer(response: ServerResponse, name: string, versions: ReadonlyMap<string, Version>) {
  const origin = `http://${response.req.headers.host}`
  const listed = [...versions].map(([version, { locked }]) => {
    const { integrity: _, ...manifest } = locked
    const dist = { tarball: `${origin}/${name}/-/${version}` }
    return [version, { ...manifest, name, dist }] as const
  })
  const latest = listed.at(-1)?.[0]
  response.setHeader('content-type', 'application/json')
  response.end(
    JSON.stringify({ name, 'dist-tags': { latest }, versions: Object.fromEntries(listed) }),
  )
}

/**
 * Without the packages that npm has put below it, which are packages of their own, and without source maps: nothing reads
 * them, and npm takes most of its time to write files.
 */
function sendTarball(response: ServerResponse, folder: string): void {
  const entries = treeEntries(folder, {
    at: 'package',
    keep: (path) => path !== 'node_modules' && !path.endsWith('.map'),
    fileMode: () => 0o644,
  })
  Readable.from(tarOf(entries)).pipe(response)
}

function refuse(response: ServerResponse): void {
  response.statusCode = 404
  response.end('{}')
}
