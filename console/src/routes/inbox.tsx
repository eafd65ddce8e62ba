import { Page } from '../ui/page.tsx'

export function Inbox() {
  return <Page title="Inbox">…</Page>
}
