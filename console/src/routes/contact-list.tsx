import { Page } from '../ui/page.tsx'

export function ContactList() {
  return <Page title="ContactList">…</Page>
}
