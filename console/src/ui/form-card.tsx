import { Alert, Button, Paper, Stack } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'
import { CardHeading } from './card.tsx'

/** A card that is a form with one button, and says why the service refused what was saved. */
export function FormCard({
  title,
  about,
  save,
  onSubmit,
  label,
  isOpen = true,
  children
}: {
  title: string
  about?: string
  save: { isPending: boolean; error: Error | null }
  onSubmit(event?: FormEvent<HTMLFormElement>): void
  label: string
  /** Whether the person may change it; else it is only shown. */
  isOpen?: boolean
  children: ReactNode
}) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <form onSubmit={onSubmit}>
        <fieldset className="plain-fieldset" disabled={!isOpen}>
          <Stack>
            <CardHeading title={title} about={about} />
            {children}
            {save.error && (
              <Alert color="red" role="alert">
                {save.error.message}
              </Alert>
            )}
            {isOpen && (
              <Button type="submit" loading={save.isPending} style={{ alignSelf: 'flex-start' }}>
                {label}
              </Button>
            )}
          </Stack>
        </fieldset>
      </form>
    </Paper>
  )
}
