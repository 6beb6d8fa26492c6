/** Told of how many channels are done, at the beginning and after every batch. */
export type Progress = (progress: { readonly done: number; readonly of: number }) => void
