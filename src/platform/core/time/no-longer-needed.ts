/**
 * The reason of a signal that ends work whose result nobody needs any more. It is made once: an abort without a reason makes an
 * error with a stack each time, which takes longer than the rest of the abort.
 */
export const noLongerNeeded = new Error('the result is no longer needed')
