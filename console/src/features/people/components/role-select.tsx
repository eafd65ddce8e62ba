import { Select, type SelectProps } from '@mantine/core'
import { useWords } from '../../../lib/language.ts'
import { ROLES, type Role } from '../api/people.ts'
import { roleWords } from '../words.ts'

/** A role, with what it may do below. */
export function RoleSelect({
  value,
  onChange,
  hasHint = false,
  ...rest
}: Omit<SelectProps, 'value' | 'onChange' | 'data'> & { value: Role; onChange(role: Role): void; hasHint?: boolean }) {
  const names = useWords(roleWords)
  return (
    <Select
      allowDeselect={false}
      data={ROLES.map((role) => ({ value: role, label: names[role] }))}
      value={value}
      onChange={(role) => onChange(role as Role)}
      {...(hasHint && { description: names.may[value] })}
      {...rest}
    />
  )
}
