import { Alert, Button, SimpleGrid, Text } from '@mantine/core'
import { useDebouncedValue, useHotkeys } from '@mantine/hooks'
import { useModals } from '@mantine/modals'
import { notifications } from '@mantine/notifications'
import { IconArrowsSplit2, IconDeviceMobile, IconNotes, IconSend } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useUnitPrice } from '../features/account/api/credits.ts'
import { meQuery } from '../features/account/api/me.ts'
import { draftQuery } from '../features/compose/api/drafts.ts'
import { useDryRun } from '../features/compose/api/dry-run.ts'
import { usePeople } from '../features/compose/api/people.ts'
import { isPriceChanged, useSendMessage } from '../features/compose/api/send-message.ts'
import { AudienceCard } from '../features/compose/components/audience-card.tsx'
import { ComposerGrid } from '../features/compose/components/composer-grid.tsx'
import { openConfirmDialog } from '../features/compose/components/confirm-dialog.tsx'
import { ChannelControl, MessageCard } from '../features/compose/components/message-card.tsx'
import { OptionsCard } from '../features/compose/components/options-card.tsx'
import { Preview } from '../features/compose/components/preview.tsx'
import { SavedNote, SavedNoteRoom } from '../features/compose/components/saved-note.tsx'
import { showSent } from '../features/compose/components/sent-notice.tsx'
import { SummaryCard } from '../features/compose/components/summary-card.tsx'
import { openTestDialog } from '../features/compose/components/test-dialog.tsx'
import { hasLeft } from '../features/compose/describe-sent.ts'
import { type Draft, hasAudience, hasContent, isEmpty } from '../features/compose/draft.ts'
import { forgetDraft, isKept, useKeptDraft } from '../features/compose/kept-draft.ts'
import { fromForm, messageFormQuery } from '../features/compose/message-form.ts'
import { fromRcsTemplate } from '../features/compose/rcs-template.ts'
import { useSavedDraft } from '../features/compose/saved-draft.ts'
import { cancelMessage, messageQuery } from '../features/messages/api/messages.ts'
import { openPhone } from '../features/phones/open-phone.ts'
import { toSandboxNumber } from '../features/phones/sandbox-number.ts'
import { rcsTemplatesQuery, smsTemplatesQuery } from '../features/templates/api/templates.ts'
import { ApiError, type Schemas } from '../lib/api.ts'
import { defineWords, useWords } from '../lib/language.ts'
import { watchSend } from '../lib/works.ts'
import { useLeaveWarning } from '../ui/leave-warning.tsx'
import { Page } from '../ui/page.tsx'
import { Problem } from '../ui/problem.tsx'
import { ErrorState, RowsLoading } from '../ui/states.tsx'
import { OnlyFor } from './only-for.tsx'

const words = defineWords(
  {
    title: 'Send',
    about: 'An SMS or an RCS, to numbers, lists or a file. Nothing is sent before you confirm.',
    send: 'Send',
    schedule: 'Schedule',
    test: 'Send a test',
    replace: 'Replace',
    asNew: 'Send it as a new message instead',
    replacing: (id: number) =>
      `This replaces message ${id}, which is cancelled when you confirm. You pay the difference, or it is refunded.`,
    notKept: 'The fields of this message are not kept. Write it again.',
    drafts: 'Drafts',
    compare: 'Compare variants (A/B)',
    undone: 'The message is cancelled, and its credits are refunded.'
  },
  {
    title: 'Envoyer',
    about: 'Un SMS ou un RCS, à des numéros, des listes ou un fichier. Rien n’est envoyé avant votre confirmation.',
    send: 'Envoyer',
    schedule: 'Programmer',
    test: 'Envoyer un test',
    replace: 'Remplacer',
    asNew: 'L’envoyer plutôt comme un nouveau message',
    replacing: (id: number) =>
      `Cet envoi remplace le message ${id}, annulé à votre confirmation. Vous payez la différence, ou elle vous est remboursée.`,
    notKept: 'Le contenu d’origine de ce message n’est pas conservé. Rédigez-le à nouveau.',
    drafts: 'Brouillons',
    compare: 'Comparer des variantes (A/B)',
    undone: 'Le message est annulé, et ses crédits sont remboursés.'
  }
)

const REST_MS = 350
/** A send to more recipients takes long enough to go on beside other pages. */
const WATCHED_MIN = 50

export const Send = () => (
  <OnlyFor permission="send">
    <SendPage />
  </OnlyFor>
)

function SendPage() {
  const say = useWords(words)
  const { data: me, error: meError, refetch } = useQuery(meQuery)
  const { draft: id } = useSearch({ strict: false }) as { draft?: number }
  // Only at first: from then on the composer has it, also while it is sent and removed.
  const wasShown = useRef(false)
  const isElsewhere = !wasShown.current && me !== undefined && id !== undefined && !isKept(me.id, id)
  const opened = useQuery({ ...draftQuery(id ?? 0), enabled: isElsewhere })
  const error = meError ?? (isElsewhere ? opened.error : null)
  const isShown = me !== undefined && (!isElsewhere || opened.data !== undefined)
  const [noteRoom, setNoteRoom] = useState<HTMLElement | null>(null)
  useEffect(() => {
    if (isShown) wasShown.current = true
  }, [isShown])
  return (
    <Page
      title={say.title}
      about={say.about}
      actions={
        <>
          <SavedNoteRoom onRoom={setNoteRoom} />
          <Button variant="default" component={Link} to="/drafts" leftSection={<IconNotes size={18} aria-hidden />}>
            {say.drafts}
          </Button>
        </>
      }
    >
      {me && isShown ? (
        <Composer me={me} opened={isElsewhere ? opened.data : undefined} noteRoom={noteRoom} />
      ) : error ? (
        <ErrorState error={error} reset={() => void (meError ? refetch() : opened.refetch())} />
      ) : (
        <RowsLoading rows={3} height={160} />
      )}
    </Page>
  )
}

function Composer({
  me,
  opened,
  noteRoom
}: {
  me: Schemas['Me']
  opened: Schemas['Draft'] | undefined
  noteRoom: HTMLElement | null
}) {
  const say = useWords(words)
  const navigate = useNavigate()
  const {
    list,
    segment,
    to,
    template,
    copy,
    replace,
    draft: openedId
  } = useSearch({ strict: false }) as {
    /** A draft to go on with. */
    draft?: number
    list?: number
    segment?: number
    to?: string
    template?: string
    /** A message to send again. */
    copy?: number
    /** A scheduled message to change. */
    replace?: number
  }
  const {
    draft,
    setDraft,
    isNew,
    identity,
    saved: before
  } = useKeptDraft(me.id, {
    wish: JSON.stringify([list, segment, to, template, copy, replace]),
    isOfMessage: copy !== undefined || replace !== undefined,
    opened,
    changes: {
      ...(list !== undefined && { audience: 'lists' as const, lists: [String(list)] }),
      ...(segment !== undefined && { audience: 'lists' as const, segments: [String(segment)] }),
      ...(to !== undefined && { audience: 'numbers' as const, numbers: String(to) })
    }
  })
  const [rested] = useDebouncedValue(draft, REST_MS)
  const people = usePeople(draft)
  const dryRun = useDryRun(rested)
  const send = useSendMessage()
  const undo = useUndo()
  // One key per act: a changed message gets a new one.
  const key = useRef<{ draft: Draft; draftId: number | undefined; expectedCredits: number; id: string }>(undefined)
  const queries = useQueryClient()
  const fill = (changes: Partial<Draft>) => setDraft((now) => ({ ...now, ...changes }))
  useTemplate(isNew ? template : undefined, fill)
  const isFormKept = useMessage(isNew ? { copy, replace } : {}, fill)
  const saving = useSavedDraft({ identity, draft, saved: before, isSending: send.isPending })
  useAddressOf(saving.saved?.id, openedId)
  const isLost = draft.file !== null || (saving.state !== 'saved' && !isEmpty(draft))
  useLeaveWarning(isLost && !send.isSuccess)
  function change(changes: Partial<Draft>): void {
    // The problems were those of another draft.
    if (send.isError) send.reset()
    saving.touch()
    fill(changes)
  }
  const error = send.error ?? dryRun.error
  const problems = error instanceof ApiError ? error.fields : {}
  const isReady = hasAudience(draft) && hasContent(draft)
  const unitPrice = useUnitPrice(draft.channel === 'sms' ? 1 : 2)
  const sender = draft.sender || me.settings.sender || 'CHAPPE'

  async function submit(expectedCredits: number): Promise<void> {
    // A draft that is being made meanwhile would stay behind.
    await saving.save()
    const draftId = saving.savedNow()?.id
    const act = { draft, draftId, expectedCredits }
    if (Object.entries(act).some(([name, value]) => key.current?.[name as keyof typeof act] !== value)) {
      key.current = { ...act, id: crypto.randomUUID() }
    }
    const idempotencyKey = key.current?.id ?? crypto.randomUUID()
    send.mutate(
      { draft, ...(draftId !== undefined && { draftId }), expectedCredits, idempotencyKey },
      {
        onSuccess(sent) {
          saving.stop()
          forgetDraft()
          // A message that took the place of another can't give it back.
          const onUndo = draft.replaces === null ? () => undo.mutate(sent.message_id) : undefined
          showSent(sent, { timeZone: me.time_zone, onUndo })
          if (sent.recipients_count > WATCHED_MIN && hasLeft(sent)) {
            const name = draft.name.trim() || `#${sent.message_id}`
            watchSend({ messageId: sent.message_id, name, to: `/messages/${sent.message_id}` })
          }
          if (me.is_sandbox) showPhone(people[0]?.phone)
          // The draft is gone: Back leads to where the writing began.
          void navigate({ to: '/messages/$id', params: { id: String(sent.message_id) }, replace: true })
        },
        async onError(error) {
          if (!isPriceChanged(error)) return
          // What was shown is no longer true: ask again, with the price of now.
          send.reset()
          await queries.resetQueries({ queryKey: ['dry run'] })
          confirm(expectedCredits)
        }
      }
    )
  }

  const confirm = (creditsBefore?: number) =>
    openConfirmDialog({
      draft,
      sender,
      timeZone: me.time_zone,
      unitPrice,
      creditsBefore,
      onConfirm: ({ credits }) => void submit(credits)
    })
  const { modals } = useModals()
  const mayConfirm = isReady && !send.isPending && modals.length === 0
  useHotkeys([['mod+Enter', () => mayConfirm && confirm()]], [])

  return (
    <ComposerGrid
      fields={
        <>
          <SavedNote saving={saving} room={noteRoom} onTheirs={setDraft} />
          {draft.replaces !== null && (
            <Alert role="status">
              <Text>{say.replacing(draft.replaces)}</Text>
              <Button mt="xs" size="compact-sm" variant="default" onClick={() => change({ replaces: null })}>
                {say.asNew}
              </Button>
            </Alert>
          )}
          {!isFormKept && <Alert color="orange">{say.notKept}</Alert>}
          <ChannelControl channel={draft.channel} onChange={(channel) => change({ channel })} />
          <AudienceCard draft={draft} onChange={change} problem={problems.recipients ?? problems.contacts} />
          <MessageCard draft={draft} onChange={change} problems={problems} people={people} />
          <OptionsCard
            draft={draft}
            onChange={change}
            problems={problems}
            hoursEnd={me.settings.hours_end}
            isEveryDay={me.settings.sundays_and_holidays}
            timeZone={me.time_zone}
          />
        </>
      }
      beside={
        <>
          <SummaryCard
            figures={isReady || hasContent(draft) ? dryRun.data : undefined}
            isLoading={dryRun.isLoading}
            error={dryRun.error}
            isForAll={dryRun.isForAll}
            isLargeFile={dryRun.isLargeFile}
            isStale={dryRun.isPlaceholderData || draft !== rested}
            deadline={draft.deadline}
            unitPrice={unitPrice}
          />
          {send.isError && <Problem error={send.error} />}
          <SimpleGrid cols={{ base: 1, xs: 2, md: 1 }} spacing="xs">
            <Button
              variant="default"
              px="xs"
              leftSection={<IconDeviceMobile size={18} aria-hidden />}
              disabled={!hasContent(draft)}
              onClick={() =>
                openTestDialog({
                  draft,
                  phone: me.phone_number,
                  timeZone: me.time_zone,
                  onSent: (phone) => me.is_sandbox && showPhone(phone)
                })
              }
            >
              {say.test}
            </Button>
            <Button
              leftSection={<IconSend size={18} aria-hidden />}
              disabled={!isReady}
              loading={send.isPending}
              onClick={() => confirm()}
            >
              {draft.replaces !== null ? say.replace : draft.scheduleAt ? say.schedule : say.send}
            </Button>
          </SimpleGrid>
          {draft.replaces === null && (
            <Button
              component={Link}
              to="/trials/new"
              search={{ from: 'draft' } as never}
              variant="subtle"
              leftSection={<IconArrowsSplit2 size={18} aria-hidden />}
            >
              {say.compare}
            </Button>
          )}
          <Preview draft={draft} people={people} sender={sender} stopMention={me.stop_mention} />
        </>
      }
    />
  )
}

/** Cancels a message that has not left, and opens it to be changed. */
function useUndo() {
  const say = useWords(words)
  const navigate = useNavigate()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: cancelMessage,
    onSuccess(_message, id) {
      notifications.show({ color: 'green', message: say.undone })
      for (const queryKey of [['messages'], ['credits']]) void queries.invalidateQueries({ queryKey })
      void navigate({ to: '/send', search: { copy: id } as never })
    }
  })
}

/** Once the draft is saved, the address names it: a reload goes on with it. */
function useAddressOf(savedId: number | undefined, openedId: number | undefined): void {
  const navigate = useNavigate()
  const named = useRef(openedId)
  useEffect(() => {
    if (savedId === undefined || savedId === named.current) return
    named.current = savedId
    // Somebody who is already on the way to another page must not be called back.
    if (!window.location.pathname.endsWith('/send')) return
    void navigate({ to: '/send', search: { draft: savedId } as never, replace: true, resetScroll: false })
  }, [savedId, navigate])
}

/** Fills in the template that the link names, once it is loaded. */
function useTemplate(chosen: string | undefined, onFound: (changes: Partial<Draft>) => void): void {
  const [kind, id] = chosen?.split('-') ?? []
  const sms = useQuery({ ...smsTemplatesQuery, enabled: kind === 'sms' }).data?.find((each) => String(each.id) === id)
  const rcs = useQuery({ ...rcsTemplatesQuery, enabled: kind === 'rcs' }).data?.find((each) => String(each.id) === id)
  const isDone = useRef(false)
  useEffect(() => {
    if (isDone.current || (!sms && !rcs)) return
    isDone.current = true
    if (sms) onFound({ channel: 'sms', content: sms.content, sender: sms.sender })
    if (rcs) onFound({ channel: 'rcs', ...fromRcsTemplate(rcs) })
  }, [sms, rcs, onFound])
}

/** Fills in the message that the link names, once it is loaded. False when its fields are not kept. */
function useMessage(
  { copy, replace }: { copy?: number | undefined; replace?: number | undefined },
  onFound: (draft: Draft) => void
): boolean {
  const id = Number(replace ?? copy ?? 0)
  const form = useQuery({ ...messageFormQuery(id), enabled: id > 0 })
  const message = useQuery({ ...messageQuery(id), enabled: replace !== undefined }).data
  const isDone = useRef(false)
  useEffect(() => {
    if (isDone.current || !form.data?.kind || (replace !== undefined && !message)) return
    isDone.current = true
    // A message that is only copied may have been loaded too, by its own page.
    const scheduled = replace !== undefined && message && { replaces: id, scheduleAt: message.scheduletimestamp }
    onFound({ ...fromForm(form.data), ...scheduled })
  }, [form.data, message, id, replace, onFound])
  return form.data?.kind !== null
}

function showPhone(phone: string | undefined): void {
  const number = toSandboxNumber(phone ?? '')
  if (number !== undefined) openPhone(number)
}
