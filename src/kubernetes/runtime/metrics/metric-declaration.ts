export interface MetricDeclaration {
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly name: string
  readonly labels: readonly string[]
  readonly help: string
  readonly buckets?: readonly number[]
}

export type Labels = Readonly<Record<string, string>>
