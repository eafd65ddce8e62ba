import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Page } from './page.tsx'
import { EmptyState } from './states.tsx'

/** A page that lists things of one kind, and makes new ones on a page of their own. */
export function ListPage({
  words: { title, about, create, none, noneHint },
  icon,
  newPath,
  mayCreate,
  table
}: {
  words: { title: string; about: string; create: string; none: string; noneHint: string }
  icon: ReactNode
  newPath: string
  mayCreate: boolean
  table(empty: ReactNode): ReactNode
}) {
  const navigate = useNavigate()
  const button = mayCreate && (
    <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => void navigate({ to: newPath })}>
      {create}
    </Button>
  )
  return (
    <Page title={title} about={about} actions={button}>
      {table(
        <EmptyState icon={icon} title={none}>
          {noneHint}
        </EmptyState>
      )}
    </Page>
  )
}
