import { openValidator, type ValidatorOptions } from '../../catalog/validation/open-validator.ts'

/** A validation occupies one for some milliseconds. */
const THREADS = 2

/**
 * A validator whose threads have started and have validated once. A thread's first validation takes many times as long
 * as the others: longer than a verification waits for its preview, on a busy machine longer than a validation may take.
 */
export function openWarmValidator(
  options: Pick<ValidatorOptions, 'clock' | 'allowLoopback' | 'restFactor'>,
) {
  const validator = openValidator({ ...options, threads: THREADS })
  const schema = { type: 'object', properties: { input: { type: 'string' } } }
  for (let thread = 0; thread < THREADS; thread += 1) void validator.validate(schema, {})
  return validator
}
