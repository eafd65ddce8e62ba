import { Button, Grid, Group, Paper, Stack, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay } from '../features/account/api/may.ts'
import { useMe } from '../features/account/api/me.ts'
import { LinkFields } from '../features/compose/components/link-fields.tsx'
import { Preview } from '../features/compose/components/preview.tsx'
import { RcsFields } from '../features/compose/components/rcs-fields.tsx'
import { SenderInput, SmsText } from '../features/compose/components/sms-fields.tsx'
import { type Draft, emptyDraft, toRcsContent } from '../features/compose/draft.ts'
import { fromRcsTemplate } from '../features/compose/rcs-template.ts'
import {
  rcsTemplatesQuery,
  saveRcsTemplate,
  saveSmsTemplate,
  smsTemplatesQuery
} from '../features/templates/api/templates.ts'
import { ApiError } from '../lib/api.ts'
import { defineWords, useWords } from '../lib/language.ts'
import { useUnsavedWarning } from '../ui/leave-warning.tsx'
import { Page } from '../ui/page.tsx'
import { Problem } from '../ui/problem.tsx'
import { ErrorState, PageLoading } from '../ui/states.tsx'
import { NotFound } from './not-found.tsx'

const words = defineWords(
  {
    newSms: 'New SMS template',
    newRcs: 'New RCS template',
    name: 'Name of the template',
    fallback: 'SMS for phones without RCS',
    save: 'Save',
    back: 'Back',
    saved: 'The template is saved.'
  },
  {
    newSms: 'Nouveau modèle SMS',
    newRcs: 'Nouveau modèle RCS',
    name: 'Nom du modèle',
    fallback: 'SMS pour les téléphones sans RCS',
    save: 'Enregistrer',
    back: 'Retour',
    saved: 'Le modèle est enregistré.'
  }
)

interface Named {
  name: string
  draft: Draft
}

export function TemplatePage() {
  const { kind, id } = useParams({ strict: false }) as { kind: string; id: string }
  const me = useMe()
  const sms = useQuery({ ...smsTemplatesQuery, enabled: kind === 'sms' && id !== 'new' })
  const rcs = useQuery({ ...rcsTemplatesQuery, enabled: kind === 'rcs' && id !== 'new' })
  if (kind !== 'sms' && kind !== 'rcs') return <NotFound />
  const blank = { name: '', draft: { ...emptyDraft(), channel: kind as Draft['channel'] } }
  if (!me) return <PageLoading />
  if (id === 'new' && !me.permissions.includes('send')) return <NotFound />
  if (id === 'new') return <Editor key={kind} {...blank} />
  const { isError, error, refetch, data } = kind === 'sms' ? sms : rcs
  // The edited template stays when a later read fails.
  if (isError && !data) return <ErrorState error={error} reset={() => void refetch()} />
  if (!data) return <PageLoading />
  if (kind === 'sms') {
    const found = sms.data?.find((template) => String(template.id) === id)
    if (!found) return <NotFound />
    return (
      <Editor
        key={id}
        id={found.id}
        name={found.name}
        draft={{ ...blank.draft, content: found.content, sender: found.sender }}
      />
    )
  }
  const found = rcs.data?.find((template) => String(template.id) === id)
  if (!found) return <NotFound />
  const draft: Draft = { ...blank.draft, ...fromRcsTemplate(found) }
  return <Editor key={id} id={found.id} name={found.name} draft={draft} />
}

function Editor({ id, ...stored }: Named & { id?: number }) {
  const say = useWords(words)
  const me = useMe()
  const mayChange = useMay('send')
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [{ name, draft }, setNamed] = useState<Named>(stored)
  const [isChanged, setIsChanged] = useState(false)
  useUnsavedWarning(isChanged)
  function write(named: (now: Named) => Partial<Named>): void {
    setIsChanged(true)
    setNamed((now) => ({ ...now, ...named(now) }))
  }
  const change = (changes: Partial<Draft>) => write(({ draft }) => ({ draft: { ...draft, ...changes } }))
  const isSms = draft.channel === 'sms'
  const save = useMutation({
    meta: { isShown: true },
    mutationFn: async () =>
      isSms
        ? saveSmsTemplate({ id, name, content: draft.content, sender: draft.sender })
        : saveRcsTemplate({ id, ...toBody(name, draft) }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['templates'] })
      notifications.show({ color: 'green', message: say.saved })
      void navigate({ to: '/templates', ignoreBlocker: true })
    }
  })
  const problems = save.error instanceof ApiError ? save.error.fields : {}
  return (
    <Page title={id === undefined ? (isSms ? say.newSms : say.newRcs) : stored.name}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, md: 7 }}>
            <Paper withBorder p="md">
              <fieldset className="plain-fieldset" disabled={!mayChange}>
                <Stack>
                  <TextInput
                    label={say.name}
                    required
                    maxLength={255}
                    value={name}
                    onChange={(event) => {
                      const name = event.currentTarget.value
                      write(() => ({ name }))
                    }}
                    error={problems.name}
                  />
                  {isSms ? (
                    <SmsText
                      content={draft.content}
                      onContent={(content) => change({ content })}
                      problem={problems.content}
                    />
                  ) : (
                    <>
                      <RcsFields rcs={draft.rcs} onChange={(rcs) => change({ rcs })} problems={problems} />
                      <SmsText
                        label={say.fallback}
                        content={draft.fallback}
                        onContent={(fallback) => change({ fallback })}
                        problem={problems['fallback.content']}
                        minRows={2}
                      />
                      <LinkFields
                        link={draft.link}
                        onChange={(link) => change({ link })}
                        problem={problems['shorturl.url']}
                      />
                    </>
                  )}
                  <SenderInput
                    sender={draft.sender}
                    onSender={(sender) => change({ sender })}
                    problem={problems.sender ?? problems['fallback.sender']}
                  />
                  {save.isError && <Problem error={save.error} />}
                  <Group justify="flex-end">
                    <Button variant="default" component={Link} to="/templates">
                      {say.back}
                    </Button>
                    {mayChange && (
                      <Button type="submit" loading={save.isPending}>
                        {say.save}
                      </Button>
                    )}
                  </Group>
                </Stack>
              </fieldset>
            </Paper>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 5 }}>
            <Preview
              draft={draft}
              people={[]}
              sender={draft.sender || me?.settings.sender || 'CHAPPE'}
              stopMention={me?.stop_mention ?? ''}
            />
          </Grid.Col>
        </Grid>
      </form>
    </Page>
  )
}

function toBody(name: string, { rcs, fallback, sender, link }: Draft) {
  return {
    name,
    ...toRcsContent(rcs),
    fallback: fallback.trim() === '' ? null : { content: fallback, ...(sender !== '' && { sender }) },
    shorturl: link.mode === 'none' ? null : { mode: link.mode, url: link.url }
  }
}
