/** Called with the number of channels done, at the start and after every batch. */
export type Progress = (progress: { readonly done: number; readonly of: number }) => void
