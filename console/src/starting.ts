import { PAGE_NAMES, PAGE_PATHS, type PageName } from './routes/page-names.ts'

/*
 * Draws the frame and the heading of the page while the script of the console is on its way, which takes a while on a slow line.
 * A script of its own: it must be small, so it knows the names of pages and nothing else of the console. Without a session
 * nothing is drawn: the log-in comes.
 */

/** As in lib/session.ts, lib/language.ts and Mantine. */
const SESSION_KEY = 'chappe.session'
const LANGUAGE_KEY = 'chappe.language'
const SCHEME_KEY = 'mantine-color-scheme-value'
const BASE = '/app'

function hasSession(): boolean {
  try {
    return JSON.parse(sessionStorage.getItem(SESSION_KEY) ?? 'null')?.expiresAt > Date.now()
  } catch {
    return false // The stored text is not ours: there is no session.
  }
}

function chooseLanguage(): 'en' | 'fr' {
  const chosen = localStorage.getItem(LANGUAGE_KEY)
  if (chosen === 'en' || chosen === 'fr') return chosen
  return navigator.languages.find((tag) => /^(en|fr)\b/.test(tag))?.startsWith('fr') ? 'fr' : 'en'
}

function chooseScheme(): string {
  const chosen = localStorage.getItem(SCHEME_KEY)
  if (chosen === 'light' || chosen === 'dark') return chosen
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

function draw(root: Element): void {
  const path = location.pathname.slice(BASE.length).replace(/(?<=.)\/$/, '') || '/'
  const name = (Object.keys(PAGE_PATHS) as PageName[]).find((each) => PAGE_PATHS[each] === path)
  const language = chooseLanguage()
  const { dataset } = document.documentElement
  document.documentElement.lang = language
  dataset.mantineColorScheme = chooseScheme()
  const header = document.createElement('header')
  header.textContent = dataset.name ?? 'Chappe'
  const main = document.createElement('main')
  main.setAttribute('aria-busy', 'true')
  if (name) main.append(Object.assign(document.createElement('h1'), { textContent: PAGE_NAMES[language][name] }))
  const frame = document.createElement('div')
  frame.className = 'starting-frame'
  frame.append(header, document.createElement('div'), main)
  root.replaceChildren(frame)
}

const root = document.getElementById('root')
// A console that is already drawn stays: its script was in the browser's cache.
if (root?.querySelector('.starting') && hasSession()) draw(root)
