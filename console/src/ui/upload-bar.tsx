import { Group, Progress, Stack, Text } from '@mantine/core'
import { useFormats } from '../lib/format.ts'
import { defineWords, useWords } from '../lib/language.ts'
import type { UploadProgress } from '../lib/upload.ts'

const words = defineWords(
  {
    sending: 'The file is uploading …',
    of: (loaded: string, total: string) => `${loaded} of ${total}`
  },
  {
    sending: 'Envoi du fichier…',
    of: (loaded: string, total: string) => `${loaded} sur ${total}`
  }
)

/** The progress of a file: uploading, then being processed. */
export function UploadBar({ progress, working }: { progress: UploadProgress | undefined; working: string }) {
  const say = useWords(words)
  const { size } = useFormats()
  const { loaded, total } = progress ?? { loaded: 0, total: 0 }
  const isSent = total > 0 && loaded === total
  const percent = total === 0 ? 0 : Math.floor((loaded / total) * 100)
  const label = isSent ? working : say.sending
  return (
    <Stack gap="xs" py="lg">
      <Group justify="space-between">
        <Text role="status">{label}</Text>
        {total > 0 && !isSent && (
          <Text size="sm" c="dimmed" className="digits">
            {say.of(size(loaded), size(total))}
          </Text>
        )}
      </Group>
      <Progress.Root size="lg">
        <Progress.Section value={percent} striped={isSent} animated={isSent} aria-label={label} />
      </Progress.Root>
    </Stack>
  )
}
