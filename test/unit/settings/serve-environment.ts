import { ConfigError } from '../../../src/settings/parser/config-error.ts'
import type { Variables } from '../../../src/settings/parser/environment.ts'
import { loadServeConfig } from '../../../src/settings/serve.ts'

export const SECRET = 'SCZANGBA5YHTNYVVV4C3U252E2B6P6F5T3U6MM63WBSBZATAQI3EBTQ4'
export const OTHER_SECRET = 'SBGWSG6BTNCKCOB3DIFBGCVMUPQFYPA2G4O34RMTB343OYPXU5DJDVMN'
export const PUBLIC_KEY = 'GCEZWKCA5VLDNRLN3RPRJMRZOX3Z6G5CHCGSNFHEYVXM3XOJMDS674JZ'
export const DIGEST = '0123456789abcdef'.repeat(4)
export const OTHER_DIGEST = 'f'.repeat(64)
export const ASSET = 'CCW67TSZV3SSS2HXMBQ5JFGCKJNXKZM7UQUWUZPUTHXSTZLEO7SJMI75'

/** The least that works, with changes; undefined unsets. */
const env = (changes: Variables = {}): Variables => ({
  DATABASE_URL: 'postgres://svc:password@localhost/svc',
  TESTNET_RPC_URL: 'https://rpc.example',
  TESTNET_SPONSOR_SECRET: SECRET,
  ...changes,
})

const files: Record<string, string> = {
  '/run/database': 'postgresql://from/file\n',
  '/run/sponsor': `${OTHER_SECRET}\n`,
  '/run/keys': `${OTHER_DIGEST}\n${DIGEST}\n`,
  '/run/empty': ' \n',
  '/run/rpc': 'https://rpc.example/v1/key,https://two.example\n',
  '/run/rpc-headers':
    'https://two.example X-Api-Key: a, b\n\nhttps://rpc.example Authorization: Bearer b\n',
}

export const load = (changes?: Variables) =>
  loadServeConfig(env(changes), (path) => {
    const content = files[path]
    if (content === undefined) throw Object.assign(new Error('no'), { code: 'ENOENT' })
    return content
  })

/** The error of a wrong configuration; one without problems when it is right. */
export function errorOf(changes: Variables): ConfigError {
  try {
    load(changes)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error
  }
  return new ConfigError([])
}

/** The problems as lines, `VARIABLE message`. */
export const problemsOf = (changes: Variables): string[] =>
  errorOf(changes).problems.map(({ variable, message }) => `${variable} ${message}`)

const both = { NETWORKS: 'stellar:testnet, stellar:pubnet' }
export const pubnet = {
  ...both,
  PUBNET_RPC_URL: 'https://pub.example',
  PUBNET_SPONSOR_SECRET: SECRET,
  PUBNET_REQUIRE_API_KEY: 'false',
}
