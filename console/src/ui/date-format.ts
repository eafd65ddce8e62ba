import { localeOf, useLanguage } from '../lib/language.ts'
import { dateTokensOf, firstDayOf } from '../lib/locale-dates.ts'

/** The format of fields for days, as the browser's locale writes them. */
export function useDayFormat() {
  const language = useLanguage()
  const locale = localeOf(language)
  return { locale: language, valueFormat: dateTokensOf(locale).shortDay, firstDayOfWeek: firstDayOf(locale) }
}

/** The format of fields for a day with a time. */
export function useMomentFormat() {
  const day = useDayFormat()
  const { moment, hours } = dateTokensOf(localeOf(day.locale))
  return { ...day, valueFormat: moment, timePickerProps: { format: hours } }
}
