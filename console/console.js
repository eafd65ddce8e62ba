// The token lives in this page alone: closing or reloading it ends the session.
let token

const form = document.querySelector('form')
const problem = document.querySelector('.problem')
const logOut = document.getElementById('log-out')

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const button = form.querySelector('button')
  button.disabled = true
  problem.textContent = ''
  try {
    const answer = await ask('POST', '/auth/login', Object.fromEntries(new FormData(form)))
    token = answer.token
    await showHome()
    form.reset()
  } catch (error) {
    problem.textContent = error.message
  } finally {
    button.disabled = false
  }
})

logOut.addEventListener('click', () => {
  token = undefined
  show('log-in')
  document.getElementById('email').focus()
})

async function showHome() {
  const [me, credits, page] = await Promise.all([
    ask('GET', '/users/me'),
    ask('GET', '/users/credits'),
    ask('GET', '/subaccount/paginate?limit=50')
  ])
  document.getElementById('home-title').textContent = me.social_reason || me.email
  document
    .getElementById('credits')
    .replaceChildren(
      ...credits.map(({ label, credits, price }) =>
        element('div', 'card', [
          element('span', '', label),
          element('strong', '', credits.toLocaleString()),
          element('span', '', `€${price} each`)
        ])
      )
    )
  const facts = [
    ['Email', me.email],
    ['Name', `${me.first_name} ${me.last_name}`.trim() || '–'],
    ['Phone', me.phone_number || '–'],
    ['Time zone', me.time_zone],
    ['Country', me.country],
    ['Marketing until', me.settings.hours_end]
  ]
  document
    .getElementById('account')
    .replaceChildren(...facts.flatMap(([name, value]) => [element('dt', '', name), element('dd', '', value)]))
  document.getElementById('sub-accounts').replaceChildren(...subAccountRows(page))
  document.getElementById('curl').textContent = `curl ${location.origin}/users/credits \\\n  -H 'X-API-KEY: <your key>'`
  show('home')
}

function subAccountRows({ items, meta }) {
  if (items.length === 0) return [wideRow('None yet.')]
  const rows = items.map((account) =>
    element('tr', '', [
      element('td', '', String(account.subaccount_id)),
      element('td', '', account.email),
      element('td', '', account.social_reason || '–'),
      element('td', '', account.credits_mode === 'parent' ? 'ours' : 'its own')
    ])
  )
  const more = meta.totalItems - items.length
  return more > 0 ? [...rows, wideRow(`and ${more.toLocaleString()} more`)] : rows
}

function wideRow(text) {
  const cell = element('td', '', text)
  cell.colSpan = 4
  return element('tr', '', [cell])
}

function show(id) {
  for (const section of document.querySelectorAll('main > section')) section.hidden = section.id !== id
  logOut.hidden = id !== 'home'
}

async function ask(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` })
    },
    ...(body && { body: JSON.stringify(body) })
  }).catch(() => {
    throw new Error('The service can’t be reached.')
  })
  const answer = await response.json()
  if (!response.ok) throw new Error(answer.error)
  return answer
}

function element(name, className, content) {
  const made = document.createElement(name)
  made.className = className
  if (typeof content === 'string') made.textContent = content
  else made.append(...content)
  return made
}
