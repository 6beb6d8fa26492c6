/** A rule of the Common Expression Language, which the API server enforces on every write. */
export interface CelRule {
  readonly rule: string
  /** The remedy, in one sentence: the only text that `kubectl apply` shows. */
  readonly message: string
  readonly reason?: 'FieldValueRequired' | 'FieldValueForbidden' | 'FieldValueInvalid'
  readonly fieldPath?: string
}

/** For `.meta()` of the object that the rules call `self`. */
export const validations = (...rules: readonly CelRule[]) => ({
  'x-kubernetes-validations': rules,
})

/** A rule that a required field of `self` never changes; belongs to the parent of the field. */
export const immutable = (field: string, instead: string): CelRule => ({
  rule: `self.${field} == oldSelf.${field}`,
  message: `${field} cannot be changed: ${instead}`,
  reason: 'FieldValueForbidden',
  fieldPath: `.${field}`,
})
