/** Settings of the own process before it pays. */
import { readFileSync } from 'node:fs'
import tls from 'node:tls'

/** Has the effect of NODE_EXTRA_CA_CERTS, which a running process cannot set for itself. */
export function trust(caFile: string): void {
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), readFileSync(caFile, 'utf8')])
}

/** The stock client's HTTP library would send requests for this machine to a proxy. */
export function dropProxies(): void {
  for (const name of Object.keys(process.env)) {
    if (/^(https?|all)_proxy$/i.test(name)) delete process.env[name]
  }
}
