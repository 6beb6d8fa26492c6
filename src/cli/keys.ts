import { createHash, randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { UsageError } from './flags.ts'
import { helpPage, usageExit } from './help.ts'

const help = helpPage({
  name: 'keys',
  summary: 'makes API keys',
  usage: ['svc keys new'],
  options: [],
  notes: [
    'Prints a line of JSON with a new key and its digest:',
    '',
    'key     for the caller, who sends it as "Authorization: Bearer <key>" or "X-API-Key: <key>".',
    '        It is kept nowhere and cannot be had again.',
    'sha256  for API_KEY_SHA256 of the service, or for the file that API_KEY_SHA256_FILE names.',
    '        Several stand with commas or line breaks between them.',
  ],
  environment: [['nothing', 'is read']],
  exits: { 0: 'done', ...usageExit },
  example: 'svc keys new',
})

/** As hard to guess as a seed. */
const KEY_BYTES = 32

/** @returns the exit code: always 0 */
export async function keys(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' } },
  })
  if (values.help) {
    process.stdout.write(help)
    return 0
  }
  if (positionals.length !== 1 || positionals[0] !== 'new') {
    throw new UsageError('expected new')
  }
  const key = `svc_${randomBytes(KEY_BYTES).toString('base64url')}`
  const sha256 = createHash('sha256').update(key).digest('hex')
  process.stdout.write(`${JSON.stringify({ key, sha256 })}\n`)
  return 0
}
