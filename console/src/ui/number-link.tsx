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
      // The name takes a second line where there is too little room, or is cut; the number is always whole.
      style={{ display: 'inline-flex', flexWrap: 'wrap', columnGap: 10, maxWidth: '100%', verticalAlign: 'top' }}
      // Within a row that opens by itself.
      onClick={(event) => event.stopPropagation()}
    >
      <span style={{ flexShrink: 0, whiteSpace: 'nowrap' }}>{formatPhone(number)}</span>{' '}
      {withName && name !== '' && (
        <Text span size="sm" c="dimmed" className="cut">
          {name}
        </Text>
      )}
    </Anchor>
  )
}
