import type { Manifest } from './manifests.ts'
import type { RuleCase } from './rule-cases.ts'

/** The rule of a URL at a path, with URLs that `new URL` refuses. */
export const urlRules = (at: string, withUrl: (url: string) => Manifest): RuleCase => ({
  kind: withUrl('https://a.example').kind,
  at,
  message: 'must be a whole http:// or https:// URL, with a port of at most 65535',
  accepted: [
    { what: 'the last port', after: withUrl('https://a.example:65535/path') },
    { what: 'an address of IPv6', after: withUrl('https://[2001:db8::1]:8443') },
  ],
  refused: [
    { what: 'a port above the last one', after: withUrl('https://a.example:99999') },
    { what: 'half an address', after: withUrl('https://[bad') },
    { what: 'no host', after: withUrl('https://%%%') },
  ],
})
