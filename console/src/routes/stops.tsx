import { Page } from '../ui/page.tsx'

export function Stops() {
  return <Page title="Stops">…</Page>
}
