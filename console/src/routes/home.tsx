import { defineWords, useWords } from '../lib/language.ts'
import { Page } from '../ui/page.tsx'

const words = defineWords({ title: 'Home' }, { title: 'Accueil' })

export function Home() {
  const say = useWords(words)
  return <Page title={say.title}>…</Page>
}
