import { createPersonalStore } from '../../lib/store.ts'

/*
 * The virtual phone beside the page, on every page: it opens when a message is sent to it, and stays until it is closed.
 */

const number = createPersonalStore<string | undefined>(undefined)

export const openPhone = number.change
export const useOpenPhone = number.use
