import { Button } from '@mantine/core'
import { IconMap2 } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { defineWords, useWords } from '../lib/language.ts'
import { Page } from '../ui/page.tsx'
import { EmptyState } from '../ui/states.tsx'

const words = defineWords(
  { title: 'There is no such page', about: 'It may have been removed, or the address is wrong.', home: 'Go home' },
  {
    title: 'Cette page n’existe pas',
    about: 'Elle a peut-être été supprimée, ou l’adresse est fausse.',
    home: 'Retour à l’accueil'
  }
)

export function NotFound() {
  const say = useWords(words)
  return (
    <Page title={say.title}>
      <EmptyState
        icon={<IconMap2 size={28} aria-hidden />}
        title={say.about}
        action={
          <Button component={Link} to="/">
            {say.home}
          </Button>
        }
      />
    </Page>
  )
}
