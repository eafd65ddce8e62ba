import { Checkbox, Group, List, Select, Stack, Text, TextInput } from '@mantine/core'
import { TimeInput } from '@mantine/dates'
import '@mantine/dates/styles.css'
import { useState } from 'react'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, localeOf, useLanguage, useWords } from '../../../lib/language.ts'
import { firstDayOf } from '../../../lib/locale-dates.ts'
import {
  describeSchedule,
  fromCrontab,
  LAST_DAY,
  MINUTES,
  nextTimes,
  type Schedule,
  toCrontab,
  weekdayName,
  weekdaysFrom
} from '../schedule.ts'

const words = defineWords(
  {
    every: 'It runs',
    kinds: {
      minutes: 'Every few minutes',
      day: 'Every day',
      week: 'On days of the week',
      month: 'On a day of the month',
      crontab: 'By a crontab'
    },
    minutes: 'How often',
    time: 'Time',
    weekdays: 'Days',
    monthDay: 'Day of the month',
    monthDayHint: 'A month without this day is skipped.',
    lastDay: 'The last day',
    crontab: 'Crontab',
    crontabHint:
      'Minute, hour, day of the month, month, day of the week: 0 10 * * 1-5 is from Monday to Friday at 10:00.',
    next: (zone: string) => `The next times, in the time zone ${zone}:`,
    never: 'This schedule never runs.'
  },
  {
    every: 'Elle s’exécute',
    kinds: {
      minutes: 'À quelques minutes d’intervalle',
      day: 'Tous les jours',
      week: 'Certains jours de la semaine',
      month: 'Un jour du mois',
      crontab: 'Selon une crontab'
    },
    minutes: 'Fréquence',
    time: 'Heure',
    weekdays: 'Jours',
    monthDay: 'Jour du mois',
    monthDayHint: 'Un mois sans ce jour est sauté.',
    lastDay: 'Le dernier jour',
    crontab: 'Crontab',
    crontabHint:
      'Minute, heure, jour du mois, mois, jour de la semaine : 0 10 * * 1-5 est du lundi au vendredi à 10:00.',
    next: (zone: string) => `Les prochaines fois, dans le fuseau horaire ${zone} :`,
    never: 'Cette planification ne s’exécute jamais.'
  }
)

const KINDS: Schedule['every'][] = ['day', 'week', 'month', 'minutes', 'crontab']
const SHOWN_TIMES = 3

export function ScheduleFields({
  crontab,
  onChange,
  timeZone,
  problem
}: {
  crontab: string
  onChange(crontab: string): void
  timeZone: string
  problem?: string | undefined
}) {
  const say = useWords(words)
  const language = useLanguage()
  const [schedule, setSchedule] = useState(() => fromCrontab(crontab))
  function change(changes: Partial<Schedule>): void {
    // From any kind one can go on with its crontab.
    const changed = { ...schedule, crontab, ...changes }
    setSchedule(changed)
    onChange(toCrontab(changed))
  }
  const { every } = schedule
  return (
    <Stack gap="sm">
      <Select
        label={say.every}
        allowDeselect={false}
        data={KINDS.map((value) => ({ value, label: say.kinds[value] }))}
        value={every}
        onChange={(value) => change({ every: KINDS.find((kind) => kind === value) ?? 'day' })}
        error={every !== 'crontab' && problem}
      />
      {every === 'minutes' && (
        <Select
          label={say.minutes}
          allowDeselect={false}
          data={MINUTES.map((minutes) => ({
            value: String(minutes),
            label: describeSchedule(toCrontab({ ...schedule, minutes }), language)
          }))}
          value={String(schedule.minutes)}
          onChange={(value) => change({ minutes: Number(value) })}
        />
      )}
      {every === 'week' && (
        <Checkbox.Group
          label={say.weekdays}
          value={schedule.weekdays.map(String)}
          // The last one stays: a week without a day never comes.
          onChange={(days) => days.length > 0 && change({ weekdays: days.map(Number) })}
        >
          <Group gap="sm" mt={4}>
            {weekdaysFrom(firstDayOf(localeOf(language))).map((day) => (
              <Checkbox key={day} value={String(day)} label={weekdayName(day, language)} />
            ))}
          </Group>
        </Checkbox.Group>
      )}
      {every === 'month' && (
        <Select
          label={say.monthDay}
          description={Number(schedule.monthDay) > 28 ? say.monthDayHint : undefined}
          allowDeselect={false}
          data={[
            ...Array.from({ length: 31 }, (_, index) => String(index + 1)),
            { value: LAST_DAY, label: say.lastDay }
          ]}
          value={schedule.monthDay}
          onChange={(monthDay) => change({ monthDay: monthDay ?? '1' })}
        />
      )}
      {(every === 'day' || every === 'week' || every === 'month') && (
        <TimeInput
          label={say.time}
          value={schedule.time}
          onChange={(event) => event.currentTarget.value !== '' && change({ time: event.currentTarget.value })}
        />
      )}
      {every === 'crontab' && (
        <TextInput
          label={say.crontab}
          description={say.crontabHint}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          maxLength={100}
          value={schedule.crontab}
          onChange={(event) => change({ crontab: event.currentTarget.value })}
          error={problem}
        />
      )}
      <NextTimes crontab={crontab} timeZone={timeZone} />
    </Stack>
  )
}

function NextTimes({ crontab, timeZone }: { crontab: string; timeZone: string }) {
  const say = useWords(words)
  const formats = useFormats(timeZone)
  const times = nextTimes(crontab, timeZone, SHOWN_TIMES)
  return (
    <div role="status">
      <Text size="sm" c="dimmed">
        {times.length > 0 ? say.next(timeZone) : say.never}
      </Text>
      <List size="sm">
        {times.map((time) => (
          <List.Item key={time.getTime()}>{formats.full(time.toISOString())}</List.Item>
        ))}
      </List>
    </div>
  )
}
