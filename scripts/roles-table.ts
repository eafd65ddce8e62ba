import { PERMISSIONS, type Permission } from '../src/http/permission.ts'
import { PERMISSIONS_OF_ROLES, type Role } from '../src/people/role.ts'
import { listAllOperations } from './all-operations.ts'

const ROLES = Object.keys(PERMISSIONS_OF_ROLES) as Role[]

const HEADER = `# Roles

A person has one role on each account. An operation needs one permission, and a role is a set of permissions; so are the
scopes of a key. \`npm run docs:roles\` writes this page from the list of operations, and a test checks that it is
current. [People](people.md) says how people come and go.

## Permissions
`

/** docs/roles.md, from the list of operations. */
export function rolesTable(): string {
  return [HEADER, permissions(), '\n## Operations\n', operations(), ''].join('\n')
}

function permissions(): string {
  const rows = Object.entries(PERMISSIONS).map(([name, meaning]) => {
    const marks = ROLES.map((role) => mark(role, name as Permission))
    return `| \`${name}\` | ${meaning} | ${marks.join(' | ')} |`
  })
  return table(['permission', 'meaning', ...ROLES], rows)
}

function operations(): string {
  const rows = listAllOperations().map(({ method, path, summary, isOpen, permission }) => {
    const needed = isOpen ? 'no credentials' : permission === 'any' ? 'any caller' : `\`${permission}\``
    const marks = ROLES.map((role) => (isOpen || permission === 'any' ? 'yes' : mark(role, permission)))
    return `| \`${method} ${path}\` | ${summary} | ${needed} | ${marks.join(' | ')} |`
  })
  return table(['operation', 'what it does', 'permission', ...ROLES], rows)
}

function mark(role: Role, permission: Permission): string {
  return PERMISSIONS_OF_ROLES[role].has(permission) ? 'yes' : '–'
}

function table(columns: string[], rows: string[]): string {
  return [`| ${columns.join(' | ')} |`, `|${'---|'.repeat(columns.length)}`, ...rows].join('\n')
}
