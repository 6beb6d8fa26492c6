/** `metav1.MicroTime`, which takes six digits of a second and no fewer. */
export const microTime = (ms: number): string =>
  new Date(ms).toISOString().replace(/\.(\d{3})Z$/, '.$1000Z')
