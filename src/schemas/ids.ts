/** Ids in bodies. JSON can't carry larger ones exactly, and there are none. */
export const ID_MAX = Number.MAX_SAFE_INTEGER
