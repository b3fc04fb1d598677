import { constants } from 'node:fs'
import { access, lstat } from 'node:fs/promises'
import { isAbsolute, relative, resolve } from 'node:path'
import { isAnswering, isPortHeld, isResolvable } from './connection.ts'
import { isDiskFull } from './disk-space.ts'
import { missingDependencyFix } from './missing-dependency.ts'

/** One kind of complaint about the machine. Lines are matched whole, from their first character. */
export interface EnvironmentRule {
  readonly what: string
  readonly pattern: RegExp
  /** Set when only such a command's complaint is the machine's. */
  readonly from?: 'agent' | 'check'
  /** Set when nothing can be looked up, so that only the last line counts: what a program got over is not why it failed. */
  readonly isLast?: true
  /** Set when the machine itself is asked, so that not even a test that throws the same words is mistaken for it. */
  readonly isLookedUp?: true
  /** The way out; `undefined` when a look at the machine does not bear the complaint out. */
  readonly fix: (found: Found) => Promise<string | undefined> | string
}

interface Found {
  readonly match: RegExpExecArray
  readonly cwd: string
  /** Whether it is the last line that says anything. */
  readonly isLast: boolean
}

/** How programs name themselves before a complaint: `tar: `, `OSError: `, `npm error `; never an assertion or a failed test. */
const WHO = String.raw`(?:npm (?:error|ERR!) )?(?!FAIL|PASS|AssertionError|not ok)(?:[\w./@-]+(?: \[[A-Z_]+\])?: ){0,4}`

const DISK_FIX = 'Free space on the disk (df -h shows which one is full), then resume.'
const MEMORY_FIX = 'Give the machine more memory, or run less at once; then resume.'
const NETWORK_FIX = 'See that this machine reaches the network (name server, proxy, registry), then resume.'

/** The complaints that are believed, and what is looked up before they are. */
export const ENVIRONMENT_RULES: readonly EnvironmentRule[] = [
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
    // In a check the same words are as likely a leak in the work.
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
    fix: ({ match, cwd }) => missingDependencyFix(match[1] ?? '', cwd),
  },
  {
    what: 'A tool is not installed',
    pattern: /^\S*python[\d.]*: No module named (pytest|tox|nox|mypy|ruff|black|flake8|pylint|coverage|pip|build)$/,
    fix: ({ match }) => `Install it (python -m pip install ${match[1]}), or correct the command; then resume.`,
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
      `^${WHO}(?:connect ECONNREFUSED (\\S+):(\\d+)|(?:error: )?connection to server at "([^"]+)"(?: \\([^)]*\\))?, port (\\d+) failed: Connection refused|Error 111 connecting to (\\S+):(\\d+)\\. Connection refused\\.|ERROR 2003 \\(HY000\\): Can't connect to MySQL server on '([^':]+):(\\d+)' \\(\\d+\\))$`,
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

/** Space may be free again when it is looked at, so the last word of a program is believed without. */
async function fullDiskFix({ cwd, isLast }: Found): Promise<string | undefined> {
  return isLast || (await isDiskFull(cwd)) ? DISK_FIX : undefined
}

/** A port that is free again was held by the work itself: that is for the agent to mend. */
async function heldPortFix(port: number): Promise<string | undefined> {
  if (!isPort(port) || !(await isPortHeld(port))) return undefined
  return `End the program that holds port ${port} (lsof -i :${port} names it), or use another port; then resume.`
}

/** Ports on which the work itself does not listen, but databases, queues and caches do. */
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
  return `Start ${service}, so that it answers at ${host}:${port}; then resume.`
}

/** The names that services have among containers. Any other name may be a slip of the work. */
const SERVICE_HOSTS =
  /^(?:db|database|postgres(?:ql)?|mysql|mariadb|redis|valkey|mongo(?:db)?|rabbitmq|kafka|elasticsearch|memcached|localstack|minio)$/

async function unknownServiceFix(host: string): Promise<string | undefined> {
  if (!SERVICE_HOSTS.test(host) || (await isResolvable(host))) return undefined
  return `Start the service ${host}, or have its name resolved (docker compose up ${host}); then resume.`
}

/** Only what lies in the folder and really is closed to us: elsewhere, or with a way in, it is the work that asks for too much. */
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
