import { useCallback, useEffect, useRef } from 'react'
import { createPersonalStore } from './store.ts'

/*
 * Long work that goes on when its page is left: imports, extracts, large sends. While its page or dialog is open, that shows it;
 * after that, the panel of the shell does.
 */

export interface Work {
  id: number
  kind: 'import' | 'extract' | 'send'
  /** A file, or a message. */
  name: string
  state: 'running' | 'done' | 'failed'
  /** Whether its page was left. */
  isLeft: boolean
  /** How far it is, if that is known. */
  percent?: number | undefined
  /** Why it failed. */
  problem?: string | undefined
  /** The page of its result. */
  to?: string | undefined
  /** Of a send. */
  messageId?: number | undefined
}

type Change = Partial<Omit<Work, 'id' | 'kind'>>

/** More is more than somebody reads; the oldest go first. */
const KEPT_MAX = 20

const works = createPersonalStore<readonly Work[]>([])
let lastId = 0

export const useWorks = works.use

export function changeWork(id: number, change: Change): void {
  works.change(works.read().map((work) => (work.id === id ? { ...work, ...change } : work)))
}

export function forgetWork(id: number): void {
  works.change(works.read().filter((work) => work.id !== id))
}

function addWork(work: Pick<Work, 'kind' | 'name'> & Change): number {
  const id = ++lastId
  works.change([...works.read(), { state: 'running' as const, isLeft: false, ...work, id }].slice(-KEPT_MAX))
  return id
}

/** The panel asks for its progress. */
export function watchSend(send: { messageId: number; name: string; to: string }): void {
  addWork({ kind: 'send', isLeft: true, ...send })
}

/** Runs the work of a component. It goes on when the component is gone. */
export function useLongWork() {
  const running = useRef(new Set<number>())
  const leave = useCallback(() => {
    for (const id of running.current) changeWork(id, { isLeft: true })
  }, [])
  useEffect(() => leave, [leave])
  async function run<T>(
    begun: Pick<Work, 'kind' | 'name'>,
    act: (change: (change: Change) => void) => Promise<T>,
    resultOf: (answer: T) => Change = () => ({})
  ): Promise<T> {
    const id = addWork(begun)
    running.current.add(id)
    try {
      const answer = await act((change) => changeWork(id, change))
      end(id, { state: 'done', ...resultOf(answer) })
      return answer
    } catch (error) {
      const { name, message } = error as Error
      if (name === 'AbortError') forgetWork(id)
      else end(id, { state: 'failed', problem: message })
      throw error
    } finally {
      running.current.delete(id)
    }
  }
  return { run, leave }
}

/** A page that is still open has shown the end itself. */
function end(id: number, change: Change): void {
  if (works.read().find((work) => work.id === id)?.isLeft) changeWork(id, change)
  else forgetWork(id)
}
