import { useEffect, useState } from 'react'
import { defineWords, useWords } from '../lib/language.ts'
import { CodeMissing, hasNewBuild } from '../lib/load-code.ts'
import { ErrorState, PageLoading } from '../ui/states.tsx'

const words = defineWords(
  { missing: 'A part of the console is missing. Load the page again.' },
  { missing: 'Il manque une partie de la console. Rechargez la page.' }
)

const ASK_MS = 2_000

/** Shown in place of a page that failed. */
export function RouteError({ error, reset }: { error: unknown; reset: () => void }) {
  return error instanceof CodeMissing ? <MissingCode /> : <ErrorState error={error} reset={reset} />
}

/**
 * A new build lacks the files that an old tab asks for, and a service that is away has none. Loading the page anew solves both. It
 * waits until the service is back, since the browser's own error page would not come back by itself.
 */
function MissingCode() {
  const say = useWords(words)
  const [isHopeless, setHopeless] = useState(false)
  useEffect(() => {
    let wasAway = false
    let timer: ReturnType<typeof setTimeout> | undefined
    let isGone = false
    async function look(): Promise<void> {
      const isNew = await hasNewBuild()
      if (isGone) return
      if (isNew || (wasAway && isNew !== undefined)) location.reload()
      else if (isNew === false) setHopeless(true)
      else {
        wasAway = true
        timer = setTimeout(() => void look(), ASK_MS)
      }
    }
    void look()
    return () => {
      isGone = true
      clearTimeout(timer)
    }
  }, [])
  return isHopeless ? <ErrorState error={say.missing} reset={() => location.reload()} /> : <PageLoading />
}
