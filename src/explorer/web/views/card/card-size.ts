/** Of a link preview, in pixels: the shape that sites show whole. */
export const cardSize = { width: 1_200, height: 630 } as const
