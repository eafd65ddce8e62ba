import { useId } from '@mantine/hooks'
import { defineWords, localeOf, useLanguage, useWords } from '../lib/language.ts'
import { dateTokensOf, firstDayOf } from '../lib/locale-dates.ts'

/** Buttons of a calendar that show an arrow or a tick, and fields of a time, for those who hear them. */
const words = defineWords(
  {
    calendar: {
      previousMonth: 'Previous month',
      nextMonth: 'Next month',
      previousYear: 'Previous year',
      nextYear: 'Next year',
      previousDecade: 'Previous decade',
      nextDecade: 'Next decade'
    },
    hours: 'Hours',
    minutes: 'Minutes',
    half: 'AM or PM',
    done: 'Done',
    clear: 'Clear'
  },
  {
    calendar: {
      previousMonth: 'Mois précédent',
      nextMonth: 'Mois suivant',
      previousYear: 'Année précédente',
      nextYear: 'Année suivante',
      previousDecade: 'Décennie précédente',
      nextDecade: 'Décennie suivante'
    },
    hours: 'Heures',
    minutes: 'Minutes',
    half: 'Matin ou après-midi',
    done: 'Terminer',
    clear: 'Effacer'
  }
)

/** The format of a field for days, as the browser's locale writes them. */
export function useDayFormat() {
  const language = useLanguage()
  const { calendar, clear } = useWords(words)
  const locale = localeOf(language)
  const valueFormat = dateTokensOf(locale).shortDay
  const id = useId()
  return {
    id,
    // With the id of the field, its calendar is named by the label of the field.
    popoverProps: { id, returnFocus: true },
    clearButtonProps: { 'aria-label': clear },
    ariaLabels: calendar,
    locale: language,
    valueFormat,
    firstDayOfWeek: firstDayOf(locale)
  }
}

/** The format of a field for a day with a time. */
export function useMomentFormat() {
  const day = useDayFormat()
  const { moment, hours } = dateTokensOf(localeOf(day.locale))
  const say = useWords(words)
  const labels = { hoursInputLabel: say.hours, minutesInputLabel: say.minutes, amPmInputLabel: say.half }
  return {
    ...day,
    valueFormat: moment,
    timePickerProps: { format: hours, ...labels },
    submitButtonProps: { 'aria-label': say.done }
  }
}
