/** Picks some elements of a series: every `every`th, and at most `times` of them. None when `times` is 0. */
export interface Some {
  every: number
  times: number
}

export const NONE: Some = { every: 1, times: 0 }
