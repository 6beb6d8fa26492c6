/**
 * Runs in a worker thread. Compiles a schema that a stranger wrote, and validates with it: its patterns can run for
 * ages and its references without end, so the main thread ends this thread when it takes too long.
 */
import { parentPort } from 'node:worker_threads'
import { Ajv2020, type ErrorObject, type Options } from 'ajv/dist/2020.js'
import type { Answer, Job } from './worker-messages.ts'

/** The options with which the stock client of x402 validates: formats, and keywords that are unknown, do nothing. */
const options: Options = {
  strict: false,
  logger: false,
  validateFormats: false,
  // Otherwise every info would have the members of Object.prototype: a required `constructor`, for instance.
  ownProperties: true,
  // One error is enough for a reason.
  allErrors: false,
}

/** Keeps the compiled meta-schema; no schema of a seller is added to it. */
const metaSchema = new Ajv2020(options)

function answer({ schema, info }: Job): Answer {
  const value: object = JSON.parse(schema)
  const problem = schemaProblem(value)
  if (problem !== undefined) return { kind: 'schema_invalid', problem }
  try {
    // A new instance for each schema: one with an `$id` would be known to the next.
    const validate = new Ajv2020({ ...options, meta: false, validateSchema: false }).compile(value)
    // A schema with `$async` would answer with a promise.
    if (validate(JSON.parse(info)) === true) return { kind: 'valid' }
    return { kind: 'info_invalid', problem: sentenceOf(validate.errors?.[0]) }
  } catch (error) {
    return { kind: 'schema_invalid', problem: messageOf(error) }
  }
}

function schemaProblem(schema: object): string | undefined {
  if ('$async' in schema) return 'it has the keyword $async'
  try {
    if (metaSchema.validateSchema(schema) === true) return undefined
    return sentenceOf(metaSchema.errors?.[0])
  } catch (error) {
    return messageOf(error)
  }
}

const sentenceOf = (error: ErrorObject | undefined): string =>
  `${error?.instancePath || 'the whole'} ${error?.message ?? 'is refused'}`

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : 'it cannot be compiled'

parentPort?.on('message', (job: Job) => {
  parentPort?.postMessage(answer(job))
})
// The first validation takes many times as long as the others.
answer({ schema: '{"properties":{"input":{"type":"string"}}}', info: '{}' })
// The time limit counts from here on: loading the library is not the schema's fault.
parentPort?.postMessage({ kind: 'ready' } satisfies Answer)
