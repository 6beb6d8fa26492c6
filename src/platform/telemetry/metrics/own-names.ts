import { processMetricPrefix } from './metric-table.ts'

/** prom-client's own names begin with `process_` or `nodejs_`; ours all with one prefix. */
export const withOwnNames = (text: string): string =>
  text.replace(
    /^((?:# (?:HELP|TYPE) )?)(process_|nodejs_)/gm,
    (_line, comment: string, origin: string) =>
      comment + processMetricPrefix + (origin === 'nodejs_' ? origin : ''),
  )
