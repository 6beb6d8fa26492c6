/** What the best answer to a question is worth: soft coverage of the question's words, and 0.7 times the best cosine. */
export const confidenceOf = (coverage: number, cosine: number): number => coverage + 0.7 * cosine

/**
 * Below the first value nothing in the catalog is relevant; below the second the answer may be beside the question.
 * They are the confidences below which 2 % and 15 % of the answerable questions of the evaluation lie: docs/search.md.
 */
export const NO_ANSWER_BELOW = 0.45
export const LOW_CONFIDENCE_BELOW = 0.75

/**
 * How much better the best match would be without the question's constraints. Above it, what the question wants exists
 * in the catalog, and not under these constraints, so what matches them is something else.
 */
export const MAX_CONSTRAINT_GAP = 0.3
