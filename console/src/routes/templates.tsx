import { ActionIcon, Badge, Button, Group, Menu, Paper, SimpleGrid, Stack, Text, Title, Tooltip } from '@mantine/core'
import { IconPlus, IconSend, IconTemplate, IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useMay } from '../features/account/api/may.ts'
import { rcsBubbles } from '../features/compose/components/preview.tsx'
import { fromRcsData } from '../features/compose/draft.ts'
import { deleteTemplate, rcsTemplatesQuery, smsTemplatesQuery } from '../features/templates/api/templates.ts'
import type { Schemas } from '../lib/api.ts'
import { defineWords, useWords } from '../lib/language.ts'
import { askFirst } from '../ui/ask-first.ts'
import { Page } from '../ui/page.tsx'
import { EmptyState, ErrorState, RowsLoading } from '../ui/states.tsx'

const words = defineWords(
  {
    title: 'Templates',
    about: 'Reusable messages. Fields such as #champ_prenom# are replaced by each recipient’s value.',
    create: 'New template',
    sms: 'SMS template',
    rcs: 'RCS template',
    none: 'No template yet',
    noneHint: 'Write a message once, and send it as often as you like.',
    edit: 'Edit',
    open: 'Open',
    use: 'Use',
    remove: 'Delete',
    removeTitle: (name: string) => `Delete “${name}”?`,
    removeHint: 'Messages that were sent with it stay as they are.',
    keep: 'Cancel',
    card: 'Card',
    carousel: 'Carousel',
    text: 'Text',
    picture: 'With a picture'
  },
  {
    title: 'Modèles',
    about: 'Des textes à réutiliser. Les variables comme #champ_prenom# sont remplacées pour chaque destinataire.',
    create: 'Nouveau modèle',
    sms: 'Modèle SMS',
    rcs: 'Modèle RCS',
    none: 'Aucun modèle pour l’instant',
    noneHint: 'Écrivez un message une fois, envoyez-le autant que vous voulez.',
    edit: 'Modifier',
    open: 'Ouvrir',
    use: 'Utiliser',
    remove: 'Supprimer',
    removeTitle: (name: string) => `Supprimer « ${name} » ?`,
    removeHint: 'Les messages déjà envoyés avec lui restent tels quels.',
    keep: 'Annuler',
    card: 'Carte',
    carousel: 'Carrousel',
    text: 'Texte',
    picture: 'Avec une image'
  }
)

export function Templates() {
  const say = useWords(words)
  const sms = useQuery(smsTemplatesQuery)
  const rcs = useQuery(rcsTemplatesQuery)
  const failed = [sms, rcs].find(({ isError, data }) => isError && !data)
  const isEmpty = sms.data?.length === 0 && rcs.data?.length === 0
  return (
    <Page title={say.title} about={say.about} actions={!isEmpty && <CreateMenu />}>
      {failed ? (
        <ErrorState error={failed.error} reset={() => void failed.refetch()} />
      ) : !sms.data || !rcs.data ? (
        <RowsLoading rows={3} height={120} />
      ) : isEmpty ? (
        <EmptyState icon={<IconTemplate size={28} aria-hidden />} title={say.none} action={<CreateMenu />}>
          {say.noneHint}
        </EmptyState>
      ) : (
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
          {rcs.data.map((template) => (
            <RcsCard key={template.id} template={template} />
          ))}
          {sms.data.map((template) => (
            <TemplateCard key={template.id} kind="sms" id={template.id} name={template.name} badges={['SMS']}>
              <Text size="sm" className="words" lineClamp={4}>
                {template.content}
              </Text>
            </TemplateCard>
          ))}
        </SimpleGrid>
      )}
    </Page>
  )
}

function CreateMenu() {
  const say = useWords(words)
  if (!useMay('send')) return null
  return (
    <Menu>
      <Menu.Target>
        <Button leftSection={<IconPlus size={18} aria-hidden />}>{say.create}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {(['sms', 'rcs'] as const).map((kind) => (
          <Menu.Item key={kind} component={Link} to={`/templates/${kind}/new`}>
            {say[kind]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function RcsCard({ template }: { template: Schemas['Models'] }) {
  const say = useWords(words)
  const [bubble] = rcsBubbles(fromRcsData(template.rcs_type, template.data))
  const [first] = bubble?.cards ?? []
  return (
    <TemplateCard kind="rcs" id={template.id} name={template.name} badges={['RCS', say[template.rcs_type]]}>
      <Text size="sm" fw={600} className="cut">
        {first?.title ?? ''}
      </Text>
      <Text size="sm" className="words" lineClamp={3}>
        {first?.description ?? bubble?.text ?? ''}
      </Text>
      {first?.media_message_url && (
        <Text size="xs" c="dimmed">
          {say.picture}
        </Text>
      )}
    </TemplateCard>
  )
}

interface CardGiven {
  kind: 'sms' | 'rcs'
  id: number
  name: string
  badges: string[]
  children: React.ReactNode
}

function TemplateCard({ kind, id, name, badges, children }: CardGiven) {
  const say = useWords(words)
  const maySend = useMay('send')
  const navigate = useNavigate()
  const queries = useQueryClient()
  const remove = useMutation({
    mutationFn: () => deleteTemplate(id),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['templates'] })
  })
  function ask(): void {
    askFirst({
      title: say.removeTitle(name),
      children: <Text>{say.removeHint}</Text>,
      labels: { confirm: say.remove, cancel: say.keep },
      confirmProps: { color: 'red' },
      onConfirm: () => remove.mutate()
    })
  }
  return (
    <Paper withBorder p="md" component="article" aria-label={name}>
      <Stack gap="xs" h="100%">
        <Group justify="space-between" wrap="nowrap">
          <Title order={2} size="h5" className="cut" title={name}>
            {name}
          </Title>
          <Group gap={4} wrap="nowrap">
            {badges.map((badge) => (
              <Badge key={badge} variant="light" tt="none">
                {badge}
              </Badge>
            ))}
          </Group>
        </Group>
        <div style={{ flex: 1 }}>{children}</div>
        {maySend ? (
          <Group gap="xs">
            <Button
              size="compact-sm"
              leftSection={<IconSend size={14} aria-hidden />}
              onClick={() => void navigate({ to: '/send', search: { template: `${kind}-${id}` } as never })}
            >
              {say.use}
            </Button>
            <Button size="compact-sm" variant="default" component={Link} to={`/templates/${kind}/${id}`}>
              {say.edit}
            </Button>
            <Tooltip label={say.remove}>
              <ActionIcon size={26} variant="subtle" color="red" aria-label={say.remove} onClick={ask}>
                <IconTrash size={16} aria-hidden />
              </ActionIcon>
            </Tooltip>
          </Group>
        ) : (
          <Group>
            <Button size="compact-sm" variant="default" component={Link} to={`/templates/${kind}/${id}`}>
              {say.open}
            </Button>
          </Group>
        )}
      </Stack>
    </Paper>
  )
}
