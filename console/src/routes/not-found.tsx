import { Button } from '@mantine/core'
import { IconMap2 } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { defineWords, useWords } from '../lib/language.ts'
import { EmptyState } from '../ui/states.tsx'

const words = defineWords(
  { title: 'There is no such page', home: 'Go home' },
  { title: 'Cette page n’existe pas', home: 'Retour à l’accueil' }
)

export function NotFound() {
  const say = useWords(words)
  return (
    <EmptyState
      icon={<IconMap2 size={28} aria-hidden />}
      title={say.title}
      action={
        <Button component={Link} to="/">
          {say.home}
        </Button>
      }
    />
  )
}
