import { Alert, List } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { ApiError } from '../lib/api.ts'

/** Why something was refused: in a sentence and, where several fields are at fault, each of them. */
export function Problem({ error, isWarning = false }: { error: Error; isWarning?: boolean }) {
  const problems = error instanceof ApiError ? error.problems : []
  return (
    <Alert
      color={isWarning ? 'orange' : 'red'}
      icon={<IconAlertTriangle size={18} aria-hidden />}
      role={isWarning ? 'status' : 'alert'}
    >
      {error.message}
      {problems.length > 1 && (
        <List size="sm" mt="xs">
          {problems.map(({ path, message }, index) => (
            <List.Item key={index}>
              <b>{path}</b> {message}
            </List.Item>
          ))}
        </List>
      )}
    </Alert>
  )
}
