import { createHash, randomBytes } from 'node:crypto'
import { command } from './command/command.ts'

/** As hard to guess as a seed. */
const KEY_BYTES = 32

export const keys = command({
  name: 'keys',
  summary: 'makes API keys',
  usage: ['svc keys new'],
  actions: { new: [] },
  notes: [
    'Prints a line of JSON with a new key and its digest:',
    '',
    'key     for the caller, who sends it as "Authorization: Bearer <key>"',
    '        or "X-API-Key: <key>". It is stored nowhere: keep it.',
    'sha256  for API_KEY_SHA256 of the service, or for the file that',
    '        API_KEY_SHA256_FILE names. Separate several with commas or newlines.',
  ],
  exits: { 0: 'done' },
  example: 'svc keys new',
  run: async () => {
    const key = `svc_${randomBytes(KEY_BYTES).toString('base64url')}`
    const sha256 = createHash('sha256').update(key).digest('hex')
    process.stdout.write(`${JSON.stringify({ key, sha256 })}\n`)
    return 0
  },
})
