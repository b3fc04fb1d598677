import { lookup } from 'node:dns/promises'
import { constants } from 'node:fs'
import { access, lstat, statfs } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { isAbsolute, relative, resolve } from 'node:path'
import type { CommandTrouble } from './command-trouble.ts'
import { closingLines } from './last-lines.ts'
import { goPackageFix, nodePackageFix, pythonPackageFix, rubyPackageFix, rustPackageFix } from './missing-package.ts'

export interface FailedCommand {
  /** Its output; for a test, the failure's message. */
  readonly text: string
  readonly cwd: string
  /**
   * A check prints what it is about. An agent prints whatever it reads, so only its very last lines count. A test may throw any text, so
   * only the first line counts, and only what can be looked up.
   */
  readonly from: 'agent' | 'check' | 'test'
  /** Set for a check before any work: a declared package that is missing isn't the agent's doing. */
  readonly isBefore?: boolean
}

/**
 * What on the machine made a command fail, as far as its last lines prove it: a full disk, a port in use, a service that doesn't
 * answer. Only the exact error messages of programs count, and the port, the service, the file and the disk are looked up, so that a
 * log that merely mentions such words changes nothing. Don't call it for a command that succeeded. The message contains the whole line:
 * redact it before cutting it.
 */
export async function environmentTrouble({
  text,
  cwd,
  from,
  isBefore = false,
}: FailedCommand): Promise<CommandTrouble | undefined> {
  const lines = from === 'test' ? text.trim().split('\n', 1) : closingLines(text, from === 'agent' ? 3 : 12)
  for (const [index, line] of lines.entries()) {
    const isLast = index === 0 && from !== 'test'
    for (const rule of ENVIRONMENT_RULES) {
      if ((rule.from !== undefined && rule.from !== from) || (from === 'test' && !rule.isLookedUp)) continue
      if (rule.isBefore && !isBefore) continue
      const match = rule.pattern.exec(line)
      if (match === null || (rule.isLast && !isLast)) continue
      const fix = await rule.fix({ match, cwd, isLast })
      if (fix !== undefined) return { fault: 'environment', message: `${rule.what}: ${line.trim()}`, fix }
    }
  }
  return undefined
}

/** One kind of error message about the machine. Patterns match from the first character of a line. */
export interface EnvironmentRule {
  readonly what: string
  readonly pattern: RegExp
  /** Set if the message counts only from such a command. */
  readonly from?: 'agent' | 'check'
  /** Set if nothing can be looked up, so that only the last line counts: a program may have recovered from an earlier error. */
  readonly isLast?: true
  /** Set if the machine itself is asked, so that even a test that throws the same text can't be mistaken for it. */
  readonly isLookedUp?: true
  /** Set if the message counts only before any work: later, the agent may have declared what it didn't install. */
  readonly isBefore?: true
  /** How to fix it; `undefined` if the machine doesn't confirm the message. */
  readonly fix: (found: Found) => Promise<string | undefined> | string
}

interface Found {
  readonly match: RegExpExecArray
  readonly cwd: string
  /** Whether it is the last line that says anything. */
  readonly isLast: boolean
}

/** How programs begin an error message: `tar: `, `OSError: `, `npm error `; never an assertion or a failed test. */
const WHO = String.raw`(?:npm (?:error|ERR!) )?(?!FAIL|PASS|AssertionError|not ok)(?:[\w./@-]+(?:::\w+)*(?: \[\w+\])?: ){0,4}`

const DISK_FIX = 'Free space on the disk (df -h shows which one is full), then resume.'
const MEMORY_FIX = 'Give the machine more memory, or run less at once; then resume.'
const NETWORK_FIX = 'See that this machine reaches the network (name server, proxy, registry), then resume.'

/** The error messages that count, and what is looked up first. */
const ENVIRONMENT_RULES: readonly EnvironmentRule[] = [
  {
    what: 'Too many files are watched',
    pattern: new RegExp(`^${WHO}ENOSPC: System limit for number of file watchers reached\\b`),
    fix: () => 'Raise the limit (sysctl fs.inotify.max_user_watches=524288), then resume.',
  },
  {
    what: 'The disk is full',
    isLookedUp: true,
    pattern: new RegExp(`^${WHO}(?:nospc )?ENOSPC: no space left on device(?:, \\w+.*)?$`),
    fix: fullDiskFix,
  },
  { what: 'The disk is full', pattern: /^npm (?:error|ERR!) code ENOSPC$/, fix: fullDiskFix },
  {
    what: 'The disk is full',
    isLookedUp: true,
    pattern: new RegExp(
      `^(?=[\\w./-]+: )${WHO}(?:[\\w /.'-]+: )?(?:\\[Errno 28\\] )?No space left on device(?: \\(os error 28\\)|: '[^']*')?$`,
    ),
    fix: fullDiskFix,
  },
  {
    what: 'The machine has no memory left',
    pattern: new RegExp(
      `^(?=[\\w./-]+: )${WHO}(?:[\\w /.'-]+: )?(?:spawn ENOMEM|(?:\\[Errno 12\\] )?Cannot allocate memory(?: \\(os error 12\\))?)$`,
    ),
    fix: () => MEMORY_FIX,
  },
  {
    what: 'The machine has no memory left',
    pattern:
      /^(?:\S+: fatal error: (?:Killed signal terminated program \S+|ld terminated with signal 9 \[Killed\])|There is insufficient memory for the Java Runtime Environment to continue\.)/,
    fix: () => MEMORY_FIX,
  },
  {
    // In a check, the same words are as likely a leak in the work.
    what: 'The agent ran out of memory',
    from: 'agent',
    pattern: /^FATAL ERROR: .*JavaScript heap out of memory$/,
    fix: () => "Give it more memory (variables: NODE_OPTIONS='--max-old-space-size=8192'), then resume.",
  },
  {
    what: 'Packages cannot be fetched',
    pattern: /^npm (?:error|ERR!) code (?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT)$/,
    fix: () => NETWORK_FIX,
  },
  {
    what: 'Packages cannot be fetched',
    pattern:
      /^(?:error An unexpected error occurred: "https?:\/\/\S+: getaddrinfo|\s?ERR_PNPM_META_FETCH_FAIL\s|ERROR: Could not install packages due to an OSError: HTTPS?ConnectionPool\(|E: Failed to fetch https?:\/\/|go: .*: dial tcp: lookup \S+)/,
    fix: () => NETWORK_FIX,
  },
  {
    what: 'A name cannot be resolved',
    isLast: true,
    pattern: new RegExp(
      `^(?:curl: \\(6\\) Could not resolve host: \\S+|fatal: unable to access '\\S+': Could not resolve host: \\S+|ssh: Could not resolve hostname \\S+: .*|${WHO}getaddrinfo EAI_AGAIN \\S+)$`,
    ),
    fix: () => NETWORK_FIX,
  },
  {
    what: 'A package is not installed',
    isLookedUp: true,
    pattern:
      /^(?:Error: Cannot find module|Error \[ERR_MODULE_NOT_FOUND\]: Cannot find package) '([^']+)'(?: imported from .*)?$/,
    fix: ({ match, cwd }) => nodePackageFix(match[1] ?? '', cwd),
  },
  {
    // Of a dotted name, the package itself was found.
    what: 'A package is not installed',
    isLookedUp: true,
    isBefore: true,
    pattern: /^(?:E {3})?(?:ModuleNotFoundError: No module named '(\w+)'|\S*python[\d.]*: No module named (\w+))$/,
    fix: ({ match, cwd }) => pythonPackageFix(match[1] ?? match[2] ?? '', cwd),
  },
  {
    what: 'A package is not installed',
    isLookedUp: true,
    isBefore: true,
    pattern:
      /^(?:go: |\S+\.go:\d+:\d+: )(?:\S+@v\S+: )?(?:missing go\.sum entry\b|module lookup disabled by GOPROXY=off$|Get "?https?:)/,
    fix: ({ cwd }) => goPackageFix(cwd),
  },
  {
    what: 'A package is not installed',
    isBefore: true,
    pattern:
      /^error: (?:no matching package named `[\w-]+` found|failed to get `[\w-]+` as a dependency of package `.*`|failed to download `[\w-]+ v\S+`)$/,
    fix: ({ cwd }) => rustPackageFix(cwd),
  },
  {
    what: 'A package is not installed',
    isBefore: true,
    pattern:
      /^(?:\S+:\d+:in .*: )?Could not find (?:gem '[^']+'|[\w.-]+-\d[\w.-]*(?:, [\w.-]+-\d[\w.-]*)*) in (?:locally installed gems|any of the (?:gem )?sources|cached gems|rubygems repository)\b/,
    fix: ({ cwd }) => rubyPackageFix(cwd),
  },
  {
    what: 'A package is not installed',
    isLookedUp: true,
    isBefore: true,
    pattern: /^(?:.*: |\s*)cannot load such file -- ([\w-]+)(?:\/\S+)?(?: \(LoadError\))?$/,
    fix: ({ match, cwd }) => rubyPackageFix(cwd, match[1]),
  },
  {
    what: 'A tool is not installed',
    pattern: /^\S*python[\d.]*: No module named (pytest|tox|nox|mypy|ruff|black|flake8|pylint|coverage|pip|build)$/,
    fix: ({ match }) => `Install it (python -m pip install ${match[1]}), or correct the command; then resume.`,
  },
  {
    what: 'Rust is not set up',
    pattern: /^error: rustup could not choose a version of \w+ to run\b/,
    fix: () => 'Set RUSTUP_HOME to where your toolchains are, or install one (rustup default stable); then resume.',
  },
  {
    what: 'A port is held by another program',
    isLookedUp: true,
    pattern: new RegExp(
      `^${WHO}(?:listen EADDRINUSE: address already in use (?:.*:)?(\\d+)|\\[Errno 98\\] error while attempting to bind on address \\('[^']*', (\\d+)\\): .*|listen tcp \\S*:(\\d+): bind: address already in use)$`,
    ),
    fix: ({ match }) => heldPortFix(Number(match[1] ?? match[2] ?? match[3])),
  },
  {
    what: 'A service does not answer',
    isLookedUp: true,
    pattern: new RegExp(
      `^\\s*${WHO}(?:connect ECONNREFUSED (\\S+):(\\d+)|(?:\\d{4}/\\d\\d/\\d\\d [\\d:.]+ )?(?:[\\w :.-]+: )?(?:\\w+ "[^"]+": )?dial tcp (\\S+):(\\d+): (?:connect|getsockopt): connection refused|(?:\\S+:\\d+:in .*: )?(?:Failed to open TCP connection to \\S+ \\()?Connection refused - connect\\(2\\) for "?([^\\s"]+?)"?(?::| port )(\\d+)\\)?(?: \\(Errno::ECONNREFUSED\\))?|(\\S+):(\\d+): \\[Errno 111\\] Connection refused\\b.*|Can't reach database server at \`([\\w.-]+)\`?:\`?(\\d+)\`|(?:error: )?connection to server at "([^"]+)"(?: \\([^)]*\\))?, port (\\d+) failed: Connection refused|Error 111 connecting to (\\S+):(\\d+)\\. Connection refused\\.|ERROR 2003 \\(HY000\\): Can't connect to MySQL server on '([^':]+):(\\d+)' \\(\\d+\\))$`,
    ),
    fix: ({ match }) => {
      const [host = '', port = ''] = match.slice(1).filter((each) => each !== undefined)
      return silentServiceFix(host, Number(port))
    },
  },
  {
    what: 'A service does not answer',
    isLookedUp: true,
    pattern: new RegExp(`^${WHO}getaddrinfo (?:ENOTFOUND|EAI_AGAIN) ([\\w-]+)(?::\\d+)?$`),
    fix: ({ match }) => unknownServiceFix(match[1] ?? ''),
  },
  {
    what: 'Docker does not answer',
    isLast: true,
    pattern:
      /^(?:docker: |ERROR: |error: |error during connect: )?Cannot connect to the Docker daemon at \S+\. Is the docker daemon running\?/,
    fix: () => 'Start Docker (systemctl start docker, or Docker Desktop), then resume.',
  },
  {
    what: 'A file of the project may not be used',
    isLookedUp: true,
    pattern: new RegExp(
      `^${WHO}(?:EACCES: permission denied, \\w+|\\[Errno 13\\] Permission denied:) '([^']+)'(?: -> '[^']+')?$`,
    ),
    fix: ({ match, cwd }) => deniedFileFix(match[1] ?? '', cwd),
  },
]

/** Space may be free again by now, so a program's last line counts without a lookup. */
async function fullDiskFix({ cwd, isLast }: Found): Promise<string | undefined> {
  return isLast || (await isDiskFull(cwd)) ? DISK_FIX : undefined
}

/** A port that is free again was in use by the work itself: the agent must fix that. */
async function heldPortFix(port: number): Promise<string | undefined> {
  if (!isPort(port) || !(await isPortHeld(port))) return undefined
  return `End the program that holds port ${port} (lsof -i :${port} names it), or use another port; then resume.`
}

/** Ports of databases, queues and caches, on which the work itself doesn't listen. */
const SERVICES: ReadonlyMap<number, string> = new Map([
  [1433, 'SQL Server'],
  [1521, 'Oracle'],
  [2375, 'Docker'],
  [3306, 'MySQL'],
  [5432, 'PostgreSQL'],
  [5672, 'RabbitMQ'],
  [6379, 'Redis'],
  [9042, 'Cassandra'],
  [9092, 'Kafka'],
  [9200, 'Elasticsearch'],
  [11211, 'memcached'],
  [26257, 'CockroachDB'],
  [27017, 'MongoDB'],
])

async function silentServiceFix(host: string, port: number): Promise<string | undefined> {
  const service = SERVICES.get(port)
  if (service === undefined || (await isAnswering(host.replace(/^\[|\]$/g, ''), port)) !== false) return undefined
  return `Start ${service}, so that it answers at ${host}:${port}, or set the address of another one; then resume.`
}

/** Usual names of services among containers. Any other name may be a typo in the work. */
const SERVICE_HOSTS =
  /^(?:db|database|postgres(?:ql)?|mysql|mariadb|redis|valkey|mongo(?:db)?|rabbitmq|kafka|elasticsearch|memcached|localstack|minio)$/

async function unknownServiceFix(host: string): Promise<string | undefined> {
  if (!SERVICE_HOSTS.test(host) || (await isResolvable(host))) return undefined
  return `Start the service ${host}, or have its name resolved (docker compose up ${host}); then resume.`
}

/** Only for a file in the folder that really isn't accessible: otherwise the work asks for too much. */
async function deniedFileFix(path: string, cwd: string): Promise<string | undefined> {
  const whole = resolve(cwd, path)
  const inside = relative(cwd, whole)
  if (inside.startsWith('..') || isAbsolute(inside)) return undefined
  if ((await lstat(whole).catch(() => undefined)) === undefined) return undefined
  const isOpen = await access(whole, constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  )
  return isOpen ? undefined : `Give yourself leave to use it (chmod u+rw ${inside || '.'}, or chown it), then resume.`
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port > 0 && port < 65_536
}

/** Whether something answers at this address. `unknown` if that isn't clear within a second. */
async function isAnswering(host: string, port: number): Promise<boolean | 'unknown'> {
  return new Promise((done) => {
    const socket = connect({ host, port, timeout: 1000 })
    const settle = (answer: boolean | 'unknown') => {
      socket.destroy()
      done(answer)
    }
    socket.once('connect', () => settle(true))
    socket.once('timeout', () => settle('unknown'))
    socket.once('error', (error: NodeJS.ErrnoException) => settle(error.code === 'ECONNREFUSED' ? false : 'unknown'))
  })
}

/** Whether this machine resolves the name within three seconds. */
async function isResolvable(host: string): Promise<boolean> {
  const found = lookup(host).then(
    () => true,
    () => false,
  )
  const { promise: tooLate, resolve: giveUp } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => giveUp(false), 3000)
  return Promise.race([found, tooLate]).finally(() => clearTimeout(timer))
}

/** Whether a port of this machine is in use. */
async function isPortHeld(port: number): Promise<boolean> {
  return new Promise((done) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => done(error.code === 'EADDRINUSE'))
    server.listen({ port, exclusive: true }, () => server.close(() => done(false)))
  })
}

/** Whether the disk of this folder, or the one for temporary files, is nearly full. */
export async function isDiskFull(folder: string): Promise<boolean> {
  const full = await Promise.all([folder, tmpdir()].map(isFolderFull))
  return full.includes(true)
}

async function isFolderFull(folder: string): Promise<boolean> {
  return statfs(folder).then(
    hasNothingLeft,
    // A missing folder says nothing about its disk.
    () => false,
  )
}

interface Space {
  readonly blocks: number
  readonly bavail: number
  readonly bsize: number
  readonly files: number
  readonly ffree: number
}

/** Whether less than `BYTES_LEFT_MIN` or no file is left. File systems that don't count blocks or files report 0 of 0. */
export function hasNothingLeft({ blocks, bavail, bsize, files, ffree }: Space): boolean {
  return (blocks > 0 && bavail * bsize < BYTES_LEFT_MIN) || (files > 0 && ffree === 0)
}

/** With less, programs can't write what they need. */
const BYTES_LEFT_MIN = 16 * 1024 * 1024
