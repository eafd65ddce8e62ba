import { createPersonalStore } from '../../lib/store.ts'

const opened = createPersonalStore<'find' | 'shortcuts' | undefined>(undefined)

export const openFind = () => opened.change('find')
export const openShortcuts = () => opened.change('shortcuts')
export const closeFind = () => opened.change(undefined)
export const useOpenFind = opened.use
