import { readFileSync } from 'node:fs'

/** The version in `package.json`. */
export function ownVersion(): string {
  const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
  return JSON.parse(manifest).version
}
