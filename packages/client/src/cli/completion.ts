import type { Command } from './command.ts'
import { UsageError } from './io.ts'

type Commands = Readonly<Record<string, Command>>

/** A script that completes the commands and their options. */
export function completionOf(shell: string, commands: Commands): string {
  if (shell === 'bash') return bash(commands)
  if (shell === 'zsh') return `#compdef chappe\nautoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`
  if (shell === 'fish') return fish(commands)
  throw new UsageError(`completion is there for bash, zsh and fish, not for ${shell}`)
}

const firstWords = (commands: Commands) => [...new Set(Object.keys(commands).map((name) => name.split(' ')[0] ?? ''))]

const optionsOf = ({ options = {} }: Command) => [...Object.keys(options), 'json', 'help'].map((name) => `--${name}`)

function bash(commands: Commands): string {
  const cases = firstWords(commands).map((word) => {
    const here = Object.entries(commands).filter(([name]) => name.split(' ')[0] === word)
    const words = here.flatMap(([name, command]) => [...name.split(' ').slice(1), ...optionsOf(command)])
    return `    ${word}) words="${[...new Set(words)].join(' ')}" ;;`
  })
  return [
    '_chappe() {',
    '  local words',
    `  case "\${COMP_WORDS[1]}" in`,
    ...cases,
    '  esac',
    `  [ "$COMP_CWORD" = 1 ] && words="${firstWords(commands).join(' ')} help"`,
    `  COMPREPLY=($(compgen -o default -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))`,
    '}',
    'complete -o default -F _chappe chappe',
    ''
  ].join('\n')
}

function fish(commands: Commands): string {
  const lines = Object.entries(commands).flatMap(([name, command]) => {
    const [first = '', second] = name.split(' ')
    const isHere = `__fish_seen_subcommand_from ${first}`
    return [
      `complete -c chappe -n __fish_use_subcommand -a ${first} -d '${command.summary.replaceAll("'", '’')}'`,
      ...(second === undefined ? [] : [`complete -c chappe -n '${isHere}' -a ${second}`]),
      ...optionsOf(command).map((option) => `complete -c chappe -n '${isHere}' -l ${option.slice(2)}`)
    ]
  })
  return `${lines.join('\n')}\n`
}
