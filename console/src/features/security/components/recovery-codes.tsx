import { Button, Code, CopyButton, Group, Modal, SimpleGrid, Stack, Text } from '@mantine/core'
import { IconCheck, IconCopy, IconDownload } from '@tabler/icons-react'
import { defineWords, useWords } from '../../../lib/language.ts'
import { saveFile } from '../../../lib/save-file.ts'
import { ONLY_WHEN_KEPT } from '../../../ui/new-keys.tsx'

const words = defineWords(
  {
    title: 'Your recovery codes',
    hint: 'Keep them where your phone is not. Each logs you in once, in place of your second factor. They are shown only now.',
    copy: 'Copy',
    copied: 'Copied',
    save: 'Download',
    done: 'I’ve saved them'
  },
  {
    title: 'Vos codes de secours',
    hint: 'Gardez-les ailleurs que sur votre téléphone. Chacun vous connecte une fois, à la place de votre second facteur. Ils ne sont affichés que maintenant.',
    copy: 'Copier',
    copied: 'Copié',
    save: 'Télécharger',
    done: 'C’est noté'
  }
)

/** Recovery codes, shown once. */
export function RecoveryCodesDialog({ codes, onDone }: { codes: string[]; onDone(): void }) {
  const say = useWords(words)
  const text = `${codes.join('\n')}\n`
  return (
    <Modal opened={codes.length > 0} onClose={onDone} title={say.title} {...ONLY_WHEN_KEPT}>
      <Stack>
        <Text>{say.hint}</Text>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
          {codes.map((code) => (
            <Code key={code} block ta="center">
              {code}
            </Code>
          ))}
        </SimpleGrid>
        <Group>
          <CopyButton value={text}>
            {({ copied, copy }) => (
              <Button
                variant="default"
                leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
                onClick={copy}
              >
                {copied ? say.copied : say.copy}
              </Button>
            )}
          </CopyButton>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => saveFile(new Blob([text], { type: 'text/plain' }), 'chappe-recovery-codes.txt')}
          >
            {say.save}
          </Button>
        </Group>
        <Button onClick={onDone}>{say.done}</Button>
      </Stack>
    </Modal>
  )
}
