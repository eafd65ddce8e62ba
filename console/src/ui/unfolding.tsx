import { Button, Collapse } from '@mantine/core'
import { useDisclosure, useId } from '@mantine/hooks'
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react'
import { type ReactNode, useEffect } from 'react'

/** Fields that few people need, behind a button. */
export function Unfolding({ label, isOpen, children }: { label: string; isOpen: boolean; children: ReactNode }) {
  const id = useId()
  const [isUnfolded, { toggle, open }] = useDisclosure(isOpen)
  // What is filled in later must not stay hidden.
  useEffect(() => {
    if (isOpen) open()
  }, [isOpen, open])
  return (
    <div>
      <Button
        variant="subtle"
        size="compact-sm"
        ml={-8}
        aria-expanded={isUnfolded}
        aria-controls={id}
        rightSection={isUnfolded ? <IconChevronUp size={16} aria-hidden /> : <IconChevronDown size={16} aria-hidden />}
        onClick={toggle}
      >
        {label}
      </Button>
      <Collapse expanded={isUnfolded} id={id}>
        {children}
      </Collapse>
    </div>
  )
}
