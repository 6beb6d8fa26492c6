/** What the best documents are worth to a question: how much of its words they cover, and how near they are in meaning. */
export const confidenceOf = (coverage: number, cosine: number): number => coverage + 1.5 * cosine

/**
 * Below the first value nothing in the catalog is relevant; below the second the answer may be beside the question.
 * They are the confidences below which 2 % and 15 % of the answerable questions of the evaluation lie: docs/search.md.
 */
export const NO_ANSWER_BELOW = 0.87
export const LOW_CONFIDENCE_BELOW = 1.03

/** The same without vectors, when a document is found only by words in common. */
export const LOW_COVERAGE_BELOW = 0.5

/**
 * How much better the best match would be without the question's constraints. Above it, what the question wants exists
 * in the catalog, and not under these constraints, so what matches them is something else.
 */
export const MAX_CONSTRAINT_GAP = 0.25
