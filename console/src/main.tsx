import './mantine.css'
import '@mantine/notifications/styles.css'
import './main.css'
import './ui/wide-tables.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { watchFocus } from './lib/focus-return.ts'
import { standInForHttps } from './lib/plain-http.ts'
import { sessionFound } from './lib/session.ts'

standInForHttps()
watchFocus()
const root = document.getElementById('root')
if (!root) throw new Error('The page has no place for the console.')
// Before anything is drawn: a tab that is about to be logged in must not show the log-in.
await sessionFound
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>
)
