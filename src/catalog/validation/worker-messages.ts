/** The messages to the thread that validates, as JSON texts: the bytes that were measured are the bytes it parses. */
export interface Job {
  readonly schema: string
  readonly info: string
}

export type Answer =
  | { readonly kind: 'ready' | 'valid' }
  | { readonly kind: 'schema_invalid' | 'info_invalid'; readonly problem: string }
