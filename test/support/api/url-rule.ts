import type { Manifest } from './manifests.ts'
import type { RuleCase } from './rule-cases.ts'

/**
 * N4: the rule that a URL at a path holds no secret.
 * @param instead where it belongs
 */
export const secretInUrlRules = (
  at: string,
  withUrl: (url: string) => Manifest,
  instead = 'a resource is no place for secrets',
): RuleCase => ({
  kind: withUrl('https://a.example').kind,
  at,
  message: `must hold no user, password or key: ${instead}`,
  accepted: [
    { what: 'an @ in the path', after: withUrl('https://a.example/v1/@team') },
    { what: 'a query without a key', after: withUrl('https://a.example/?network=testnet') },
    { what: 'key as a value', after: withUrl('https://a.example/?mode=key') },
  ],
  refused: [
    { what: 'a password', after: withUrl('https://user:secret@a.example/v1') },
    { what: 'a user alone', after: withUrl('https://token@a.example') },
    { what: 'a key', after: withUrl('https://a.example/v1?key=abc') },
    { what: 'an API key', after: withUrl('https://a.example?network=testnet&api_key=abc') },
    { what: 'an API key in capital letters', after: withUrl('https://a.example/?apiKey=abc') },
    { what: 'a token', after: withUrl('https://a.example/?access_token=abc') },
  ],
})

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
