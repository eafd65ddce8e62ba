import { Menu, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { IconCheck, IconSelector } from '@tabler/icons-react'
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { call, type Schemas } from '../../../lib/api.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { switchSession } from '../../../lib/session.ts'

const words = defineWords(
  { label: 'Switch account', suspended: 'suspended', closed: 'closed' },
  { label: 'Changer de compte', suspended: 'suspendu', closed: 'fermé' }
)

const accountsQuery = queryOptions({
  queryKey: ['my-accounts'],
  queryFn: () => call('listMyAccounts'),
  staleTime: 60_000
})

/** The name of the account; for a person on several accounts, a menu of them. A person who only looks on has no menu. */
export function AccountSwitch({ name, email, isFixed }: { name: string; email: string; isFixed: boolean }) {
  const say = useWords(words)
  const { data: accounts = [] } = useQuery(accountsQuery)
  const change = useMutation({
    mutationFn: (id: number) => call('switchAccount', { body: { account_id: id } }),
    onSuccess: (answer) => switchSession(answer, { isSamePerson: true })
  })
  const title = (
    <>
      <Text size="sm" fw={600} className="cut" title={name}>
        {name}
      </Text>
      {name !== email && (
        <Text size="xs" c="dimmed" className="cut" title={email}>
          {email}
        </Text>
      )}
    </>
  )
  if (isFixed || accounts.length < 2) return <div>{title}</div>
  return (
    <Menu position="top-start" width="target" withinPortal={false}>
      <Menu.Target>
        <UnstyledButton w="100%" style={{ display: 'flex', alignItems: 'center' }}>
          <span style={{ minWidth: 0, flex: 1 }}>{title}</span>
          <VisuallyHidden>{say.label}</VisuallyHidden>
          <IconSelector size={16} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {accounts.map((account) => (
          <Menu.Item
            key={account.id}
            disabled={account.is_current || account.standing !== 'open' || change.isPending}
            rightSection={account.is_current && <IconCheck size={14} aria-hidden />}
            onClick={() => change.mutate(account.id)}
          >
            {nameOf(account)}
            {account.standing !== 'open' && ` (${say[account.standing]})`}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

const nameOf = ({ social_reason: company, email }: Schemas['OwnAccount']) => company || email
