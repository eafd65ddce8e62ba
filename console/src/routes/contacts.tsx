import { Page } from '../ui/page.tsx'

export function Contacts() {
  return <Page title="Contacts">…</Page>
}
