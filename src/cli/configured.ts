import { ConfigError, EX_CONFIG } from '../config/config-error.ts'
import type { Variables } from '../config/environment.ts'

/** Runs a command with its configuration; a wrong one is explained on standard error, exit code 78. */
export async function withConfig<Config>(
  load: (variables: Variables) => Config,
  run: (config: Config) => Promise<number>,
): Promise<number> {
  let config: Config
  try {
    config = load(process.env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${error.message}\n`)
    return EX_CONFIG
  }
  return run(config)
}
