import { ActionIcon, Button, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ApiError } from '../../../lib/api.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { Card } from '../../../ui/card.tsx'
import { For } from '../../account/components/for.tsx'
import { addKeyword, deleteKeyword, keywordsQuery } from '../api/consents.ts'

const words = defineWords(
  {
    title: 'Keywords',
    about:
      'A person who writes the word to the number is asked to confirm by YES or OUI. The consent is then recorded.',
    number: 'Number',
    keyword: 'Word',
    example: 'JOIN',
    question: 'Question',
    confirmation: 'Thank-you message (optional)',
    add: 'Add the keyword',
    remove: (keyword: string, number: string) => `Delete ${keyword} on ${number}`,
    on: (keyword: string, number: string) => `${keyword} on ${number}`
  },
  {
    title: 'Mots-clés',
    about: 'La personne qui écrit le mot à ce numéro confirme par OUI ou YES ; son consentement est alors enregistré.',
    number: 'Numéro',
    keyword: 'Mot',
    example: 'REJOINDRE',
    question: 'Question',
    confirmation: 'Message de remerciement (facultatif)',
    add: 'Ajouter le mot-clé',
    remove: (keyword: string, number: string) => `Supprimer ${keyword} au ${number}`,
    on: (keyword: string, number: string) => `${keyword} au ${number}`
  }
)

export function KeywordsCard() {
  const say = useWords(words)
  const client = useQueryClient()
  const { data = [] } = useQuery(keywordsQuery)
  const onSuccess = () => client.invalidateQueries({ queryKey: keywordsQuery.queryKey })
  const remove = useMutation({ mutationFn: deleteKeyword, onSuccess })
  return (
    <Card title={say.title} about={say.about}>
      {data.map(({ id, keyword, number, question }) => (
        <Group key={id} justify="space-between" wrap="nowrap">
          <div>
            <Text fw={600}>{say.on(keyword, number)}</Text>
            <Text size="sm">{question}</Text>
          </div>
          <For permission="contacts">
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={say.remove(keyword, number)}
              onClick={() => remove.mutate(id)}
            >
              <IconTrash size={18} aria-hidden />
            </ActionIcon>
          </For>
        </Group>
      ))}
      <For permission="contacts">
        <KeywordForm onAdded={onSuccess} />
      </For>
    </Card>
  )
}

function KeywordForm({ onAdded }: { onAdded(): Promise<void> }) {
  const say = useWords(words)
  const form = useForm({ initialValues: { number: '36111', keyword: '', question: '', confirmation: '' } })
  const add = useMutation({
    mutationFn: addKeyword,
    meta: { isShown: true },
    async onSuccess() {
      form.reset()
      await onAdded()
    },
    onError(error) {
      const fields = error instanceof ApiError ? error.fields : {}
      form.setErrors(Object.keys(fields).length > 0 ? fields : { keyword: error.message })
    }
  })
  return (
    <form onSubmit={form.onSubmit((body) => add.mutate(body))} noValidate>
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput label={say.number} maxLength={20} {...form.getInputProps('number')} />
          <TextInput label={say.keyword} maxLength={20} placeholder={say.example} {...form.getInputProps('keyword')} />
        </SimpleGrid>
        <TextInput label={say.question} maxLength={1_000} {...form.getInputProps('question')} />
        <TextInput label={say.confirmation} maxLength={1_000} {...form.getInputProps('confirmation')} />
        <Button type="submit" variant="default" loading={add.isPending} style={{ alignSelf: 'flex-start' }}>
          {say.add}
        </Button>
      </Stack>
    </form>
  )
}
