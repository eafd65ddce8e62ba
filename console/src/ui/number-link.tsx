import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { isPhone, useContactName } from '../lib/contact-names.ts'
import { formatPhone } from '../lib/format-phone.ts'

/** A number, and the name of its contact; both lead to the page of the person. */
export function NumberLink({ number, withName = true }: { number: string; withName?: boolean }) {
  const name = useContactName(number)
  if (!isPhone(number)) return <span className="digits">{formatPhone(number)}</span>
  return (
    <Anchor
      component={Link}
      to={`/numbers/${number}`}
      size="sm"
      className="digits"
      // Within a row that opens by itself.
      onClick={(event) => event.stopPropagation()}
    >
      {formatPhone(number)}{' '}
      {withName && name !== '' && (
        <Text span size="sm" c="dimmed" ml={6}>
          {name}
        </Text>
      )}
    </Anchor>
  )
}
