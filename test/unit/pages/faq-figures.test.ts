import { expect, test } from 'vitest'
import { defaultTimings } from '../../../src/payments/engine/timings.ts'
import { KEPT_DAYS } from '../../../src/payments/usage/usage-meter.ts'
import { loadServeConfig } from '../../../src/settings/serve.ts'
import { secretOfSeed } from '../../../src/stellar/accounts/signer.ts'
import { readPage } from './markdown.ts'

/** docs/faq.md: the defaults that its answers name. */

const XLM = 10_000_000n
const { networks, ...service } = loadServeConfig({
  STORE: 'memory',
  TESTNET_RPC_URL: 'https://rpc.example',
  TESTNET_SPONSOR_SECRET: secretOfSeed(new Uint8Array(32).fill(1)),
})
const [network] = networks

/** The answer to the question, on one line. */
function answerTo(question: string): string {
  const [, after = ''] = readPage('docs/faq.md').split(`\n### ${question}\n`)
  return (after.split('\n#')[0] ?? '').replaceAll('\n', ' ')
}

const grouped = (value: number): string => value.toLocaleString('en-US')

test.each([
  {
    question: 'What is the rate limit?',
    words: `${service.rateLimitPerMinute} requests a minute for each address, and ${grouped(service.rateLimitPerKeyPerMinute)} for each accepted API key`,
  },
  {
    question: 'What does `settlement_pending` mean?',
    words: `within ${defaultTimings.confirmWindowMs / 1_000} s`,
  },
  {
    question: 'How long is my signature valid?',
    words: `${network?.timeoutMinSeconds} to ${network?.timeoutMaxSeconds} s are accepted by default`,
  },
  {
    question: 'How much XLM do I need?',
    words: `${(network?.minSponsorBalance ?? 0n) / XLM} as a floor`,
  },
  {
    question: 'How much XLM do I need?',
    words: `With the default of ${network?.channelCount} channels`,
  },
  {
    question: 'What happens when the sponsor runs dry?',
    words: `below ${(network?.sponsorReserve ?? 0n) / XLM} the service refuses`,
  },
  {
    question: 'How long is data kept, and can I delete it?',
    words: `counts of usage stay for ${KEPT_DAYS} days`,
  },
  {
    question: 'Why are my payments refused with `settle_exact_stellar_payer_paused`?',
    words: `for ${network?.payers.pause?.pauseSeconds === 60 ? 'a minute' : 'another time'}`,
  },
])('$question: $words', ({ question, words }) => {
  expect(answerTo(question)).toContain(words)
})

test('each answer is short and leads to a page', () => {
  const answers = readPage('docs/faq.md').split(/^### /m).slice(1)
  expect(answers.length).toBeGreaterThan(30)
  const wanting = answers.filter((text) => {
    const [question = '', ...rest] = (text.split('\n## ')[0] ?? '').split('\n')
    const answer = rest.join(' ').trim()
    const isOwnWords = /refund|personal data|charged twice/.test(question)
    return answer.length > 800 || (!isOwnWords && !answer.includes(']('))
  })
  expect(wanting).toEqual([])
})
