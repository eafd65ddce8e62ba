import { createPersonalStore } from '../../lib/store.ts'

/*
 * The virtual phone that lies beside the page, whichever page that is: opened where something is sent to it, it stays until
 * it is put away.
 */

const number = createPersonalStore<string | undefined>(undefined)

export const openPhone = number.change
export const useOpenPhone = number.use
